// AIProxy's knowledge bases.
import type { Answer, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { converse, json, refused, supplierDialect, table, textOf } from '#mock/upstream/supplier.ts';

const DOCUMENTS = [{ title: 'Handbook', url: 'https://docs.example/1' }];

const route: Route = {
  lastUserText: (body) => textOf(body['query']),
  answer(exchange): Answer {
    const { body, record, model } = exchange;
    if (body['libraryId'] !== 'mock-library')
      return refused(200, { success: false, errCode: 1001, message: 'no such library' });
    const { pieces } = converse(exchange, [body['query']]);
    record.usageReports = 0;
    if (record.stream) return { kind: 'events', events: events(pieces, model) };
    return json({ success: true, answer: pieces.join(''), documents: DOCUMENTS, model });
  },
};

function* events(pieces: readonly string[], model: string): Generator<StreamEvent> {
  for (const content of pieces) yield { data: JSON.stringify({ content, finish: false, model }), tokens: 1 };
  yield { data: JSON.stringify({ content: '', finish: true, model, documents: DOCUMENTS }) };
}

export const aiproxyLibrary = supplierDialect({
  name: 'aiproxy-library',
  route: table({ 'POST /api/library/ask': route }),
  isKnown: ({ key }) => key !== '' && !key.startsWith('sk-invalid'),
  error: (status) => refused(status, { success: false, errCode: status, message: 'aiproxy refused' }),
});
