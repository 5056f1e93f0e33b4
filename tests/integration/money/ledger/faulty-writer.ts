// A writer thread whose database file fails on request. The file `<database>.fault` names the fault: an error code of SQLite,
// with which each batch fails before its commit, or `lost`: the batch is committed, but an error is reported.
import { existsSync, readFileSync } from 'node:fs';
import { ledgerWriter } from '#server/money/ledger/sqlite/procedures.ts';
import type { BatchReply } from '#server/platform/store/sqlite/protocol.ts';
import { runWriter } from '#server/platform/store/sqlite/writer-thread.ts';

let faultFile = '';
const fault = () => (existsSync(faultFile) ? readFileSync(faultFile, 'utf8') : '');

const port = globalThis as unknown as Worker;
const send = port.postMessage.bind(port);
port.postMessage = (message: unknown) => {
  const reply = JSON.parse(String(message)) as Partial<BatchReply>;
  if (fault() !== 'lost' || reply.results === undefined) return send(message);
  const error = { message: 'disk I/O error', code: 'SQLITE_IOERR_FSYNC' };
  const failures = reply.results.map((_, index) => ({ index, error }));
  send(JSON.stringify({ results: reply.results.map(() => null), failures }));
};

const writer = ledgerWriter();
runWriter({
  ...writer,
  onBatchStart(context) {
    faultFile = `${context.database.filename}.fault`;
    writer.onBatchStart?.(context);
  },
  onBatchEnd(context) {
    writer.onBatchEnd?.(context);
    const code = fault();
    if (code.startsWith('SQLITE_')) throw Object.assign(new Error(code), { code });
  },
});
