// A knowledge base of AIProxy: one question, an answer with the documents it came from. Nothing is counted there.
import type { CanonicalEvent, CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import type { UpstreamCodec } from '#server/formats/codec.ts';
import { member, objects, parseFrame, text, type Json } from '#server/formats/json.ts';
import { asQuestion, noteDropped, wordOf } from '#server/formats/supplier-codec.ts';

/** Which library is the channel's to say; the provider adds it. */
function encodeRequest(request: CanonicalRequest, notes: ConversionNote[]): Json {
  noteDropped(request, [], notes);
  return { model: request.model, stream: request.stream, query: asQuestion(request.messages, notes) };
}

/** The sources follow the answer as a list of links. */
function sourcesOf(answer: Json): CanonicalEvent[] {
  const documents = objects(answer['documents']);
  if (documents.length === 0) return [];
  const lines = documents.map(
    (document, index) => `${index + 1}. [${text(document['title'])}](${text(document['url'])})`,
  );
  return [{ type: 'text-delta', choice: 0, text: `\n\n${lines.join('\n')}` }];
}

const finish: CanonicalEvent = { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' };

function startOf(answer: Json): CanonicalEvent {
  return { type: 'start', id: '', model: text(answer['model']), created: 0 };
}

export const aiproxyLibrary: UpstreamCodec = {
  encodeRequest,
  decodeResponse(body) {
    const answer = member(body);
    const said: CanonicalEvent = { type: 'text-delta', choice: 0, text: text(answer['answer']) };
    return [startOf(answer), said, ...sourcesOf(answer), finish];
  },
  decodeStream() {
    let hasStarted = false;
    return {
      push(_event, data) {
        const piece = member(parseFrame(data));
        const events: CanonicalEvent[] = hasStarted ? [] : [startOf(piece)];
        hasStarted = true;
        const said = text(piece['content']);
        if (said !== '') events.push({ type: 'text-delta', choice: 0, text: said });
        if (piece['finish'] === true) events.push(...sourcesOf(piece), finish);
        return events;
      },
      end: () => [],
    };
  },
  decodeError(body) {
    const answer = member(body);
    if (answer['success'] !== false) return undefined;
    const code = wordOf(answer['errCode']);
    return { message: text(answer['message']), type: code, code };
  },
};
