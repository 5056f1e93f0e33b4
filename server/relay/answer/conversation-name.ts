// Answers of a call that named a conversation say so: upstreams, which do not know it, cannot.
import { patchMembers } from '#server/relay/request/json-members.ts';
import type { Reframing } from './event-stream.ts';
import type { WholeAnswer } from './whole-answer.ts';

export function nameConversation(answer: WholeAnswer, id: string): void {
  const { json, body } = answer;
  if (json === undefined) return;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const value = JSON.stringify({ id });
  answer.body = text.startsWith('{')
    ? patchMembers(text, new Map([['conversation', value]]))
    : named(text, value);
}

/** Inside a string the quotes would be escaped, so these are members of the event. */
const unnamed = /"conversation"\s*:\s*null\s*,?/g;
const response = /"object"\s*:\s*"response"/g;

const named = (events: string, value: string): string =>
  events.replace(unnamed, '').replace(response, (found) => `"conversation":${value},${found}`);

export function namingConversation(id: string): Reframing {
  const value = JSON.stringify({ id });
  return { frame: (events) => named(events, value), close: () => '' };
}
