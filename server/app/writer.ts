// The entry of SQLite's writer thread: the store runs it, the ledger supplies its operations.
import { ledgerWriter } from '#server/money/ledger/sqlite/procedures.ts';
import { runWriter } from '#server/platform/store/sqlite/writer-thread.ts';

runWriter(ledgerWriter());
