// The entry of SQLite's writer thread: the store runs it, billing supplies what it does.
import { ledgerWriter } from '#server/money/ledger/sqlite/procedures.ts';
import { runWriter } from '#server/platform/store/sqlite/writer-thread.ts';

runWriter(ledgerWriter());
