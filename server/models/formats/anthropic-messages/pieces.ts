// Shared by whole and streamed answers: the head, citations and the stop reason.
import type { CanonicalCitation, CanonicalEvent, FinishReason } from '#server/models/formats/canonical.ts';
import type { EncodeOptions } from '#server/models/formats/codec.ts';
import type { Json } from '#server/models/formats/json.ts';

export function messageHead(id: string, model: string, options: EncodeOptions | undefined): Json {
  const given = id || (options?.id ?? '');
  return {
    id: given.startsWith('msg_') ? given : `msg_${given}`,
    type: 'message',
    role: 'assistant',
    model: model || (options?.request?.model ?? ''),
  };
}

/** Citations of other vendors become results of a search; without a URL there is no place for them. */
export function encodeCitation({ origin, raw, url, title, citedText }: CanonicalCitation): unknown {
  if (origin === 'anthropic') return raw;
  if (url === undefined) return undefined;
  return {
    type: 'web_search_result_location',
    cited_text: citedText ?? '',
    encrypted_index: '',
    title: title ?? null,
    url,
  };
}

const REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  error: 'end_turn',
  other: 'end_turn',
};

type Finish = Pick<Extract<CanonicalEvent, { type: 'finish' }>, 'reason' | 'stopSequence' | 'raw'>;

/** Callers run tools only for `tool_use`, whatever the upstream reported. */
export function stopOf(
  finish: Finish | undefined,
  hasCalled: boolean,
  hasRefused: boolean,
): { reason: string; sequence: string | null } {
  const reason = finish?.reason ?? 'stop';
  if (hasCalled && (reason === 'stop' || reason === 'tool_calls' || reason === 'other'))
    return { reason: 'tool_use', sequence: null };
  if (finish?.raw === 'pause_turn') return { reason: 'pause_turn', sequence: null };
  if (reason === 'stop' && finish?.stopSequence !== undefined)
    return { reason: 'stop_sequence', sequence: finish.stopSequence };
  if (reason === 'tool_calls') return { reason: 'end_turn', sequence: null };
  return { reason: hasRefused && reason === 'stop' ? 'refusal' : REASONS[reason], sequence: null };
}

/** A picture as requests hold it, so that clients send it back as a picture. */
export function encodePicture({
  url,
  mediaType,
  data,
}: Pick<Extract<CanonicalEvent, { type: 'image' }>, 'url' | 'mediaType' | 'data'>): Json {
  if (data === undefined) return { type: 'image', source: { type: 'url', url: url ?? '' } };
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}
