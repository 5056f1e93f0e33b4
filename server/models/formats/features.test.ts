// Less common things an answer or a request may hold, carried between formats wherever both have a place for them.
import { describe, expect, test } from 'bun:test';
import type { CanonicalEvent } from './canonical.ts';
import type { Json } from './json.ts';
import {
  codecOf,
  convert,
  decodeAll,
  encodeAll,
  framesOf,
  meaningOf,
  objectsOf,
} from '#tests/support/formats.ts';

const chat = codecOf('openai-chat');
const responses = codecOf('openai-responses');
const anthropic = codecOf('anthropic-messages');
const gemini = codecOf('gemini-generate');
const formats = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'];

const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };
const text = (value: string): CanonicalEvent => ({ type: 'text-delta', choice: 0, text: value });

describe('citations', () => {
  const cited: CanonicalEvent[] = [
    text('Bern is '),
    text('schön.'),
    {
      type: 'citation',
      choice: 0,
      citation: { url: 'https://a.ch', title: 'A', start: 8, end: 14, origin: 'openai', raw: {} },
    },
    finish,
  ];

  test('have their place in every format, whole and streamed', () => {
    for (const format of formats) {
      const codec = codecOf(format);
      const whole = meaningOf(codec.decodeResponse(codec.encodeResponse(cited)));
      const streamed = meaningOf(decodeAll(codec, framesOf(encodeAll(format, cited))));
      for (const { choices } of [whole, streamed]) {
        const blocks = choices.get(0)?.blocks.filter((block) => block.type === 'text') ?? [];
        expect(blocks.flatMap(({ citations }) => citations)).toMatchObject([
          { url: 'https://a.ch', title: 'A' },
        ]);
      }
    }
  });

  test('Gemini counts bytes, others characters', () => {
    const body = gemini.encodeResponse(cited) as { candidates: { groundingMetadata: unknown }[] };
    expect(body.candidates[0]?.groundingMetadata).toMatchObject({
      groundingSupports: [{ segment: { startIndex: 8, endIndex: 15, text: 'schön.' } }],
    });
    const [block] = meaningOf(gemini.decodeResponse(body)).choices.get(0)?.blocks ?? [];
    expect(block).toMatchObject({ citations: [{ start: 8, end: 14 }] });
  });

  test('Anthropic’s stand where their block of text stands', () => {
    const location = { type: 'web_search_result_location', url: 'https://a.ch', title: 'A', cited_text: 'x' };
    const events = anthropic.decodeResponse({
      content: [
        { type: 'text', text: 'One. ' },
        { type: 'text', text: 'Two.', citations: [location] },
      ],
      stop_reason: 'end_turn',
    });
    expect(chat.encodeResponse(events)).toMatchObject({
      choices: [
        {
          message: {
            content: 'One. Two.',
            annotations: [
              { type: 'url_citation', url_citation: { start_index: 5, end_index: 9, url: 'https://a.ch' } },
            ],
          },
        },
      ],
    });
  });
});

describe('probabilities', () => {
  const logprob = {
    token: 'Hi',
    logprob: -0.5,
    bytes: [72, 105],
    top: [{ token: 'Yo', logprob: -1.5, bytes: [89] }],
  };
  const events: CanonicalEvent[] = [
    { type: 'text-delta', choice: 0, text: 'Hi', logprobs: [logprob] },
    finish,
  ];

  test('go from OpenAI’s two formats to each other, whole and streamed', () => {
    for (const codec of [chat, responses]) {
      const [block] =
        meaningOf(codec.decodeResponse(codec.encodeResponse(events))).choices.get(0)?.blocks ?? [];
      expect(block).toMatchObject({ logprobs: [logprob] });
    }
    for (const format of ['openai-chat', 'openai-responses']) {
      const [block] =
        meaningOf(decodeAll(codecOf(format), framesOf(encodeAll(format, events)))).choices.get(0)?.blocks ??
        [];
      expect(block).toMatchObject({ logprobs: [logprob] });
    }
  });

  test('come from Gemini too, and are asked for in each format’s words', () => {
    const answer = gemini.decodeResponse({
      candidates: [
        {
          content: { parts: [{ text: 'Hi' }] },
          logprobsResult: {
            chosenCandidates: [{ token: 'Hi', logProbability: -0.5 }],
            topCandidates: [{ candidates: [{ token: 'Yo', logProbability: -1.5 }] }],
          },
        },
      ],
    });
    expect(chat.encodeResponse(answer)).toMatchObject({
      choices: [{ logprobs: { content: [{ token: 'Hi', logprob: -0.5, top_logprobs: [{ token: 'Yo' }] }] } }],
    });
    const asked = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      logprobs: true,
      top_logprobs: 2,
    };
    expect(convert('openai-chat', 'gemini-generate', asked).body['generationConfig']).toMatchObject({
      responseLogprobs: true,
      logprobs: 2,
    });
    expect(convert('openai-chat', 'openai-responses', asked).body).toMatchObject({
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    });
    expect(convert('openai-chat', 'anthropic-messages', asked).noted).toContain('dropped logprobs');
  });
});

describe('refusals', () => {
  const refused: CanonicalEvent[] = [{ type: 'refusal-delta', choice: 0, text: 'I cannot.' }, finish];

  test('have a member of their own at OpenAI, and are text that ended so at Anthropic', () => {
    expect(chat.encodeResponse(refused)).toMatchObject({
      choices: [{ message: { content: null, refusal: 'I cannot.' } }],
    });
    expect(responses.encodeResponse(refused)).toMatchObject({
      output: [{ content: [{ type: 'refusal', refusal: 'I cannot.' }] }],
    });
    expect(anthropic.encodeResponse(refused)).toMatchObject({
      content: [{ type: 'text', text: 'I cannot.' }],
      stop_reason: 'refusal',
    });
    const types = objectsOf(encodeAll('openai-responses', refused)).map(({ type }) => type);
    expect(types).toContain('response.refusal.delta');
    expect(types).toContain('response.refusal.done');
    expect(encodeAll('anthropic-messages', refused)).toContain('"stop_reason":"refusal"');
  });

  test('a question Gemini will not hear is filtered everywhere', () => {
    const blocked = gemini.decodeResponse({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT', blockReasonMessage: 'No.' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    });
    expect(chat.encodeResponse(blocked)).toMatchObject({
      choices: [{ finish_reason: 'content_filter', message: { refusal: 'No.' } }],
      usage: { prompt_tokens: 4 },
    });
    expect(anthropic.encodeResponse(blocked)).toMatchObject({ stop_reason: 'refusal' });
    expect(responses.encodeResponse(blocked)).toMatchObject({
      incomplete_details: { reason: 'content_filter' },
    });
    expect(
      gemini.encodeResponse(anthropic.decodeResponse({ content: [], stop_reason: 'refusal' })),
    ).toMatchObject({
      candidates: [{ finishReason: 'SAFETY' }],
    });
  });
});

describe('pictures and sound in answers', () => {
  test('a picture goes from Gemini to OpenAI’s formats and back', () => {
    const events = gemini.decodeResponse({
      candidates: [
        { content: { parts: [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
      ],
    });
    const image = { type: 'image', mediaType: 'image/png', data: 'AA==' };
    for (const codec of [chat, responses, gemini])
      expect(codec.decodeResponse(codec.encodeResponse(events))).toContainEqual(
        expect.objectContaining(image),
      );
    for (const format of ['openai-chat', 'openai-responses', 'gemini-generate'])
      expect(decodeAll(codecOf(format), framesOf(encodeAll(format, events)))).toContainEqual(
        expect.objectContaining(image),
      );
  });

  test('a picture the assistant made goes back as a picture: in its turn, or with the user’s next words (W27)', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
    const user = { role: 'user', content: 'Hi' };
    const body = {
      model: 'm',
      max_tokens: 5,
      messages: [user, { role: 'assistant', content: 'Here', images }, user],
    };
    expect(convert('openai-chat', 'openai-chat', body).body).toEqual(body);
    expect(convert('openai-chat', 'gemini-generate', body).body).toMatchObject({
      contents: [
        {},
        { parts: [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
        {},
      ],
    });
    for (const format of ['anthropic-messages', 'openai-responses']) {
      const { body: sent, noted } = convert('openai-chat', format, body);
      const turns = (sent['messages'] ?? sent['input']) as { role: string }[];
      expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(JSON.stringify(turns[1])).not.toContain('AA==');
      expect(JSON.stringify(turns[2])).toContain('AA==');
      expect(noted).toContain('approximated content.image');
    }
  });

  test('a picture is a picture in answers of the Messages API, and returns to Gemini with its signature (W27, W18)', () => {
    const events: CanonicalEvent[] = [
      { type: 'image', choice: 0, mediaType: 'image/png', data: 'AA==', signature: 'c2ln' },
      finish,
    ];
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    const answer = anthropic.encodeResponse(events) as { content: Json[] };
    expect(answer.content).toMatchObject([{ type: 'thinking', thinking: '' }, picture]);
    const frames = framesOf(encodeAll('anthropic-messages', events)).map(
      ({ data }) => JSON.parse(data) as Json,
    );
    expect(frames).toContainEqual({ type: 'content_block_start', index: 1, content_block: picture });
    const user = { role: 'user', content: 'Make it blue.' };
    const messages = [user, { role: 'assistant', content: answer.content }, user];
    const next = convert('anthropic-messages', 'gemini-generate', { model: 'm', max_tokens: 5, messages });
    const inlineData = { mimeType: 'image/png', data: 'AA==' };
    expect(next.body).toMatchObject({
      contents: [{}, { parts: [{ inlineData, thoughtSignature: 'c2ln' }] }, {}],
    });
    expect(next.noted).toEqual([]);
  });

  test('pictures of a turn with calls are shown after the results (W27)', () => {
    const messages = [
      { role: 'user', content: 'Draw and look up.' },
      {
        role: 'assistant',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
          { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'found' }] },
    ];
    const { body } = convert('anthropic-messages', 'openai-chat', { model: 'm', max_tokens: 5, messages });
    const sent = body['messages'] as { role: string }[];
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(JSON.stringify(sent[3])).toContain('AA==');
  });

  test('a spoken answer keeps its sound in chat and its words elsewhere', () => {
    const chunk = (audio: Json): Json => ({ choices: [{ index: 0, delta: { audio }, finish_reason: null }] });
    const events = decodeAll(chat, [
      chunk({ id: 'audio_1', transcript: 'Hel' }),
      chunk({ data: 'AA==', transcript: 'lo' }),
      chunk({ expires_at: 99 }),
    ]);
    expect(chat.encodeResponse(events)).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            audio: { id: 'audio_1', data: 'AA==', transcript: 'Hello', expires_at: 99 },
          },
        },
      ],
    });
    expect(anthropic.encodeResponse(events)).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] });
    expect(responses.encodeResponse(events)).toMatchObject({ output: [{ content: [{ text: 'Hello' }] }] });
  });
});

describe('structured output', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  const asked = {
    model: 'claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 9,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
  };

  test('is asked for in each format’s words, and comes back', () => {
    const claude = convert('openai-chat', 'anthropic-messages', asked);
    expect(claude.body['output_config']).toEqual({ format: { type: 'json_schema', schema } });
    expect(claude.noted).toEqual([]);
    expect(convert('anthropic-messages', 'openai-chat', claude.body).body['response_format']).toEqual(
      asked.response_format,
    );
    const items = convert('openai-chat', 'openai-responses', asked).body;
    expect(items['text']).toEqual({ format: { type: 'json_schema', name: 'answer', schema, strict: true } });
    expect(convert('openai-responses', 'openai-chat', items).body['response_format']).toEqual(
      asked.response_format,
    );
    expect(convert('openai-chat', 'gemini-generate', asked).body['generationConfig']).toMatchObject({
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    });
  });

  test('a model without schemas gets an instruction, with a note', () => {
    const { body, noted } = convert('openai-chat', 'anthropic-messages', {
      ...asked,
      model: 'claude-3-5-sonnet-20241022',
    });
    expect(body).not.toHaveProperty('output_config');
    expect(JSON.stringify(body['system'])).toContain('follows this schema');
    expect(noted).toEqual(['approximated response_format']);
  });
});

describe('how long to think', () => {
  const asked = (model: string, more: Json): Json => ({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 64_000,
    ...more,
  });
  const claude = (model: string, effort: string): Json =>
    convert('openai-chat', 'anthropic-messages', asked(model, { reasoning_effort: effort })).body;

  test('Claude’s generations are asked each in its way', () => {
    expect(claude('claude-3-5-sonnet-20241022', 'high')).not.toHaveProperty('thinking');
    expect(claude('claude-sonnet-4-20250514', 'high')['thinking']).toEqual({
      type: 'enabled',
      budget_tokens: 16_384,
    });
    expect(claude('claude-opus-4-6', 'minimal')).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
    expect(claude('anthropic.claude-opus-4-1-20250805-v1:0', 'none')['thinking']).toEqual({
      type: 'disabled',
    });
  });

  test('Gemini by level or by tokens, and thoughts are shown', () => {
    const google = (model: string, effort: string): unknown =>
      (
        convert('openai-chat', 'gemini-generate', asked(model, { reasoning_effort: effort })).body[
          'generationConfig'
        ] as Json
      )['thinkingConfig'];
    expect(google('gemini-3-pro', 'low')).toEqual({ includeThoughts: true, thinkingLevel: 'LOW' });
    expect(google('gemini-2.5-flash', 'medium')).toEqual({ includeThoughts: true, thinkingBudget: 8192 });
    expect(google('gemini-2.5-flash', 'none')).toEqual({ thinkingBudget: 0 });
    expect(google('gemini-2.0-flash', 'high')).toBeUndefined();
  });

  test('a budget becomes an effort, with a note; models without reasoning get neither', () => {
    const thinking = asked('gpt-5', { thinking: { type: 'enabled', budget_tokens: 10_000 } });
    const { body, noted } = convert('anthropic-messages', 'openai-responses', thinking);
    expect(body['reasoning']).toEqual({ effort: 'medium', summary: 'auto' });
    expect(noted).toEqual(['approximated reasoning']);
    const plain = convert('anthropic-messages', 'openai-chat', { ...thinking, model: 'gpt-4o' });
    expect(plain.body).not.toHaveProperty('reasoning_effort');
    expect(plain.noted).toEqual(['approximated max_tokens', 'dropped reasoning']);
  });

  test('a model that thinks takes no temperature and no forced call', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const { body, noted } = convert(
      'openai-chat',
      'anthropic-messages',
      asked('claude-sonnet-4-20250514', {
        reasoning_effort: 'low',
        temperature: 0.2,
        tools,
        tool_choice: 'required',
      }),
    );
    expect(body).not.toHaveProperty('temperature');
    expect(body['tool_choice']).toEqual({ type: 'auto' });
    expect(noted).toEqual(['dropped temperature', 'approximated tool_choice']);
  });
});

describe('what only one side knows', () => {
  test('fields of one format are dropped by name in another, and pass in their own', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 5,
      logit_bias: { 5: -1 },
    };
    expect(convert('openai-chat', 'openai-chat', body).body).toEqual(body);
    expect(convert('openai-chat', 'anthropic-messages', body).noted).toEqual(['dropped logit_bias']);
    const google = {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      safetySettings: [{ category: 'c' }],
    };
    expect(convert('gemini-generate', 'gemini-generate', google).body).toEqual(google);
    expect(convert('gemini-generate', 'openai-chat', google).noted).toEqual(['dropped safetySettings']);
  });

  test('what OpenAI’s models refuse is not sent, with a note', () => {
    const generationConfig = { topK: 40, stopSequences: ['a', 'b', 'c', 'd', 'e'] };
    const body = { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig };
    const strict = convert('gemini-generate', 'openai-chat', { ...body, model: 'gpt-4o' });
    expect(strict.body).not.toHaveProperty('top_k');
    expect(strict.body['stop']).toEqual(['a', 'b', 'c', 'd']);
    expect(strict.noted).toEqual(['dropped top_k', 'dropped stop']);
    expect(convert('gemini-generate', 'openai-chat', { ...body, model: 'llama-3' }).body['top_k']).toBe(40);
  });

  test('a name too long for OpenAI is shortened, always to the same', () => {
    const user = 'u'.repeat(120);
    const body = {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 9,
      metadata: { user_id: user },
    };
    const [first, second] = [1, 2].map(() => convert('anthropic-messages', 'openai-chat', body));
    expect(first?.body['user']).toMatch(/^user_[a-z0-9]+$/);
    expect(second?.body['user']).toBe(first?.body['user']);
    expect(first?.noted).toEqual(['renamed user']);
  });

  test('items of a provider’s own go back to it and to nobody else', () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [search, found, { type: 'text', text: 'y' }] },
        { role: 'user', content: 'Go' },
      ],
    };
    expect(convert('anthropic-messages', 'anthropic-messages', body).body).toEqual(body);
    const { body: sent, noted } = convert('anthropic-messages', 'openai-chat', { ...body, model: 'm' });
    expect(JSON.stringify(sent)).not.toContain('s1');
    expect(noted).toEqual(['dropped content.provider']);
  });
});
