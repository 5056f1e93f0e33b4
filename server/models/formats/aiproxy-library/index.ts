// An AIProxy knowledge base: one question, an answer with its source documents. Usage is not reported.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { UpstreamCodec } from '#server/models/formats/codec.ts';
import { member, objects, text, type Json } from '#server/models/formats/json.ts';
import { asQuestion, contentEvents, frameDecoder, wordOf } from '#server/models/formats/supplier-codec.ts';
import { noteDropped } from '#server/models/formats/requested-features.ts';

/** The provider adds the library id. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, [], notes);
  return { model: request.model, stream: request.stream, query: asQuestion(request.messages, notes) };
}

/** Appends the sources to the answer as a list of links. */
function sourcesOf(answer: Json): CanonicalEvent[] {
  const documents = objects(answer['documents']);
  if (documents.length === 0) return [];
  const lines = documents.map(
    (document, index) => `${index + 1}. [${text(document['title'])}](${text(document['url'])})`,
  );
  return [{ type: 'text-delta', choice: 0, text: `\n\n${lines.join('\n')}` }];
}

const FINISH: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };

function startOf(answer: Json): CanonicalEvent {
  return { type: 'start', id: '', model: text(answer['model']), created: 0 };
}

export const aiproxyLibrary: UpstreamCodec = {
  encodeRequest,
  decodeResponse(body) {
    const answer = member(body);
    const delta: CanonicalEvent = { type: 'text-delta', choice: 0, text: text(answer['answer']) };
    return [startOf(answer), delta, ...sourcesOf(answer), FINISH];
  },
  decodeStream() {
    let hasStarted = false;
    return frameDecoder((piece) => {
      const start = hasStarted ? [] : [startOf(piece)];
      hasStarted = true;
      const end = piece['finish'] === true ? [...sourcesOf(piece), FINISH] : [];
      return [...start, ...contentEvents({ text: text(piece['content']) }), ...end];
    });
  },
  decodeError(body) {
    const answer = member(body);
    if (answer['success'] !== false) return undefined;
    const code = wordOf(answer['errCode']);
    return { message: text(answer['message']), type: code, code };
  },
};
