// An open record with a request id of OpenAI's form.
import { type Books, NO_USAGE, type ServedRequest } from './books.ts';

let requestNumber = 0;
const processTag = crypto.randomUUID().replaceAll('-', '').slice(0, 16);

export function newRecord(books: Books): ServedRequest {
  requestNumber += 1;
  return {
    id: `req_${processTag}${requestNumber.toString(16).padStart(16, '0')}`,
    tag: '',
    key: '',
    path: '',
    model: '',
    stream: false,
    status: 200,
    usage: NO_USAGE,
    usageReports: 0,
    eventsWritten: 0,
    bytesWritten: 0,
    outputTokensWritten: 0,
    ending: 'open',
    startedAtMilliseconds: Date.now(),
    endedAtMilliseconds: 0,
    generation: books.generation,
    body: undefined,
    headers: {},
  };
}
