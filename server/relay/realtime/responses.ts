// A response of a realtime session, and how much of it the hold has to pay for.
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import type { Json } from '#server/models/formats/json.ts';
import { MOST_RESPONSE_TOKENS } from '#server/relay/money/asked-for.ts';
import type { OutputClass } from '#server/relay/money/exposure.ts';
import { isSpokenIn, outputLimitIn, type Conversation } from './conversation.ts';
import type { SessionTerms } from './session-usage.ts';

/** A response that is held slice by slice is covered so far ahead. */
const AHEAD_TOKENS = 128;

/** A response that the caller asked for. */
export interface AskedResponse {
  input: Usage;
  /** The input of a response to the whole conversation at this time. */
  conversation: Usage;
  outputLimit: number;
  dearest: OutputClass;
  /** The hold pays for the whole limit. Otherwise it grows with what is delivered. */
  isCovered: boolean;
  /** It reads its own input or adds nothing to the conversation: its usage says nothing about the next response. */
  isApart: boolean;
}

/** A response without a report. */
export interface OpenResponse extends AskedResponse {
  output: number;
  /** In base64: pieces of audio may be shorter than a token. */
  audioLength: number;
}

export const hasOutput = ({ output, audioLength }: OpenResponse): boolean => output > 0 || audioLength > 0;

/** Tokens of output that the hold pays for when so many were delivered; a report of more is not believed. */
export function heldLimit({ isCovered, outputLimit }: AskedResponse, deliveredTokens: number): number {
  return isCovered ? outputLimit : Math.min(outputLimit, deliveredTokens + AHEAD_TOKENS);
}

/** Output that may come beyond what was delivered, in its dearest class. */
export function outstanding(response: AskedResponse, deliveredTokens: number): [OutputClass, number] {
  return [response.dearest, Math.max(0, heldLimit(response, deliveredTokens) - deliveredTokens)];
}

/** A response with these fields of `response.create`. */
export function askedResponse(
  conversation: Conversation,
  { largestTokens, dearest }: SessionTerms,
  response: Json,
  isCovered: boolean,
): AskedResponse {
  const limit = outputLimitIn(response, conversation.outputLimit) ?? largestTokens;
  return {
    input: conversation.inputOf(response),
    conversation: conversation.inputOf(),
    outputLimit: Math.min(limit, MOST_RESPONSE_TOKENS),
    dearest: dearest[isSpokenIn(response, conversation.isSpoken) ? 'spoken' : 'written'],
    isCovered,
    isApart: response['conversation'] === 'none' || Array.isArray(response['input']),
  };
}

/** The text of so much audio. Speech has fewer tokens of text than of audio. */
export function transcript({ dearest }: SessionTerms, audioTokens: number): AskedResponse {
  const input = usageOf({ audioInput: audioTokens });
  const held = { outputLimit: audioTokens, dearest: dearest.written, isCovered: true };
  return { input, conversation: input, ...held, isApart: true };
}

/** The beginning of a response that may come next, or the text of audio that waits for its transcription. */
export function nextOutput(conversation: Conversation, { dearest }: SessionTerms): [OutputClass, number] {
  const { isTranscription, isSpoken, committingTokens } = conversation;
  if (isTranscription) return [dearest.written, Math.max(AHEAD_TOKENS, committingTokens)];
  return [isSpoken ? dearest.spoken : dearest.written, AHEAD_TOKENS];
}
