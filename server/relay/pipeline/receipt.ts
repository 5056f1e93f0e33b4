// What the log and the caller are told of a conversion, as JSON.
import type { PreparedCall } from '#server/relay/upstream/prepare.ts';
import type { UpstreamBody } from '#server/relay/upstream/body-parts.ts';

const mostNotes = 50;

/** Empty when nothing was changed. The notes of the answer come with it: it is made again when one is added. */
export function receiptOf(
  { endpoint }: Pick<PreparedCall, 'endpoint'>,
  { format, conversion, notes }: Pick<UpstreamBody, 'format' | 'conversion' | 'notes'>,
): string {
  if (conversion === undefined && notes.length === 0) return '';
  const all = [...notes, ...(conversion?.answerNotes ?? [])];
  // The caller chooses names of fields: their number and length in the log are bounded.
  const kept = all.slice(0, mostNotes).map(({ field, what, detail }) => ({
    field: field.slice(0, 100),
    what,
    detail: detail.slice(0, 300),
  }));
  return JSON.stringify({ from: endpoint.format, to: format, notes: kept });
}
