// Sources of Gemini's statements. Gemini's positions are bytes of UTF-8, those of other formats characters.
import type { CanonicalCitation, CanonicalEvent } from '#server/models/formats/canonical.ts';
import { list, member, number, objects, text, type Json } from '#server/models/formats/json.ts';

export function groundingEvents(choice: number, metadata: Json, answerText: string): CanonicalEvent[] {
  const chunks = objects(metadata['groundingChunks']);
  const supports = objects(metadata['groundingSupports']);
  const bytes = supports.length === 0 ? undefined : Buffer.from(answerText);
  const character = (place: unknown): number => bytes?.subarray(0, number(place) ?? 0).toString().length ?? 0;
  const events: CanonicalEvent[] = [];
  for (const support of supports) {
    const segment = member(support['segment']);
    for (const index of list(support['groundingChunkIndices'])) {
      const chunk = chunks[Number(index)];
      if (chunk === undefined) continue;
      const citation = citationOf(chunk, {
        start: character(segment['startIndex']),
        end: character(segment['endIndex']),
        citedText: text(segment['text']),
      });
      events.push({ type: 'citation', choice, citation });
    }
  }
  if (supports.length > 0) return events;
  return chunks.map((chunk) => ({ type: 'citation', choice, citation: citationOf(chunk, {}) }));
}

function citationOf(
  chunk: Json,
  place: Pick<CanonicalCitation, 'start' | 'end' | 'citedText'>,
): CanonicalCitation {
  const source = member(chunk['web'] ?? chunk['retrievedContext'] ?? chunk['maps']);
  const url = text(source['uri']);
  const title = text(source['title']);
  return {
    ...(url === '' ? {} : { url }),
    ...(title === '' ? {} : { title }),
    ...place,
    origin: 'google',
    raw: chunk,
  };
}

/** The sources of one text in Gemini's format. */
export function encodeGrounding(
  citations: readonly CanonicalCitation[],
  answerText: string,
): Json | undefined {
  const linked = citations.filter(({ url }) => url !== undefined);
  if (linked.length === 0) return undefined;
  const byte = (place: number): number => Buffer.byteLength(answerText.slice(0, place));
  return {
    groundingChunks: linked.map(({ url, title }) => ({ web: { uri: url, title: title ?? '' } })),
    groundingSupports: linked.flatMap(({ start, end }, index) =>
      start === undefined || end === undefined
        ? []
        : [
            {
              segment: { startIndex: byte(start), endIndex: byte(end), text: answerText.slice(start, end) },
              groundingChunkIndices: [index],
            },
          ],
    ),
  };
}
