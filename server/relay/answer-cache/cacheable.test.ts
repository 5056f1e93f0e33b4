// Which requests and which answers may be kept.
import { describe, expect, test } from 'bun:test';
import { compactEndpoint, relayEndpoints, responsesEndpoint } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { hasSearched, isCacheable, isOrdinaryEnd, isPersonal } from './cacheable.ts';
import { searchesOf } from '#server/money/prices/tiers.ts';
import { usageOf } from '#server/money/prices/usage.ts';

const chat = relayEndpoints[0] ?? expect.unreachable('chat');
const prepared = (extra: object, endpoint = chat) => {
  const value = { model: 'm', messages: [], ...extra };
  return prepareJsonBody(endpoint, { text: JSON.stringify(value), value });
};

test('members by which an upstream searches, keeps or goes on are bypassed', () => {
  expect(isCacheable(prepared({}))).toBe(true);
  expect(isCacheable(prepared({ temperature: 2, unknown: 1, tools: [] }))).toBe(true);
  for (const extra of [
    { store: true },
    { search_parameters: {} },
    { enable_search: true },
    { plugins: [{ id: 'web' }] },
    { web_search_options: {} },
    { tools: [{ type: 'web_search_20250305' }] },
  ])
    expect([extra, isCacheable(prepared(extra))]).toEqual([extra, false]);
  expect(isCacheable(prepared({ store: false, input: 'x' }, responsesEndpoint))).toBe(true);
  expect(isCacheable(prepared({ input: 'x' }, responsesEndpoint))).toBe(false);
  expect(isCacheable(prepared({ store: false, input: 'x' }, compactEndpoint))).toBe(false);
});

test('a user, a session, a tag or any metadata makes a request personal', () => {
  const none = new Headers();
  expect(isPersonal(none, { user: null, metadata: {} })).toBe(false);
  for (const fields of [
    { user: 'u' },
    { metadata: { user_id: 'u' } },
    { metadata: { team: 'x' } },
    { metadata: 'x' },
    { safety_identifier: 'u' },
    { prompt_cache_key: 'k' },
    { session_id: 's' },
    { labels: { user: 'x' } },
  ])
    expect([fields, isPersonal(none, fields)]).toEqual([fields, true]);
  for (const name of ['Tollgate-Tags', 'session_id', 'X-Session-Id', 'conversation_id'])
    expect(isPersonal(new Headers({ [name]: 'user=x' }), {})).toBe(true);
});

describe('only an answer that the model ended is kept', () => {
  const kept = (format: Parameters<typeof isOrdinaryEnd>[0], value: unknown, isStream = false) =>
    isOrdinaryEnd(format, isStream, JSON.stringify(value));

  test('chat', () => {
    const answer = (finish_reason: unknown, more: object = {}) => ({
      choices: [{ message: { content: 'say "finish_reason":"content_filter"', ...more }, finish_reason }],
    });
    expect(kept('openai-chat', answer('stop', { refusal: null }))).toBe(true);
    expect(kept('openai-chat', answer('length'))).toBe(true);
    for (const reason of ['content_filter', null, 'weird', ''])
      expect([reason, kept('openai-chat', answer(reason))]).toEqual([reason, false]);
    expect(kept('openai-chat', answer('stop', { refusal: 'No.' }))).toBe(false);
    expect(kept('openai-chat', { ...answer('stop'), x: { hate: { filtered: true } } })).toBe(false);
    const both = { choices: [{ finish_reason: 'stop' }, { finish_reason: 'content_filter' }] };
    expect(kept('openai-chat', both)).toBe(false);
  });

  test('messages, Gemini, Responses, embeddings', () => {
    expect(kept('anthropic-messages', { stop_reason: 'end_turn' })).toBe(true);
    for (const stop_reason of ['refusal', 'pause_turn', 'model_context_window_exceeded', null])
      expect(kept('anthropic-messages', { stop_reason })).toBe(false);
    expect(
      kept('anthropic-messages', { stop_reason: 'end_turn', content: [{ type: 'redacted_thinking' }] }),
    ).toBe(false);
    expect(kept('gemini-generate', { candidates: [{ finishReason: 'STOP' }] })).toBe(true);
    expect(kept('gemini-generate', { candidates: [{ finishReason: 'SAFETY' }] })).toBe(false);
    expect(kept('gemini-generate', { promptFeedback: { blockReason: 'OTHER' } })).toBe(false);
    expect(kept('openai-responses', { status: 'completed', error: null })).toBe(true);
    expect(kept('openai-responses', { status: 'incomplete' })).toBe(false);
    expect(kept('openai-responses', { status: 'completed', o: [{ encrypted_content: 'x' }] })).toBe(false);
    expect(kept('openai-responses', { type: 'response.completed' }, true)).toBe(true);
    expect(kept('openai-responses', { type: 'response.incomplete' }, true)).toBe(false);
    expect(kept('openai-embeddings', { data: [] })).toBe(true);
    expect(kept('openai-images', { data: [] })).toBe(false);
  });

  test('what was searched is of its day', () => {
    expect(hasSearched(usageOf({ surcharges: searchesOf(1) }))).toBe(true);
    expect(hasSearched(usageOf({}))).toBe(false);
  });
});
