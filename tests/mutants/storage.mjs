// What makes a charge durable: the spool, outages, recovery, and the two databases.
const spool = 'server/money/ledger/spool.ts';
const spoolFile = 'server/money/ledger/spool-file.ts';
const outage = 'server/money/ledger/outage.ts';
const postgres = 'server/money/ledger/postgres/backend.ts';
const nodes = 'server/money/ledger/postgres/nodes.ts';
const writer = 'server/money/ledger/postgres/writer.ts';
const sqlite = 'server/money/ledger/sqlite/backend.ts';
const direct = 'server/money/ledger/sqlite/calls.ts';
const spoolTests = ['server/money/ledger/spool.test.ts'];
const outageTests = ['server/money/ledger/outage.test.ts'];
const balanceTests = ['tests/integration/money/ledger/memory-balance.test.ts'];
const holdTests = ['tests/integration/money/ledger/holds.test.ts'];
const recoveryTests = ['tests/integration/money/ledger/recovery.test.ts'];
const nodeTests = ['tests/integration/money/ledger/nodes.test.ts'];
const unwritableTests = ['tests/integration/money/ledger/unwritable.test.ts'];

export const storage = [
  {
    name: 'spool-without-sync',
    file: spoolFile,
    find: 'await handle.datasync();\n    return position + bytes.length;',
    replace: 'return position + bytes.length;',
    tests: spoolTests,
    meaning: 'Finding: a spooled charge is acknowledged before it is on the disk.',
  },
  {
    name: 'spool-directory-without-sync',
    file: spoolFile,
    find: '    await this.#disk.syncDirectory(dirname(this.#path));\n',
    replace: '',
    tests: spoolTests,
    meaning: 'A power cut loses the whole new spool.',
  },
  {
    name: 'living-spool-is-adopted',
    file: 'server/money/ledger/spool-adoption.ts',
    find: 'const lock = tryLockFile(lockOf(path));',
    replace: 'const lock = tryLockFile(lockOf(path)) ?? { release() {} };',
    tests: spoolTests,
    meaning: 'Finding: the spool of a living process is replayed and removed while it appends.',
  },
  {
    name: 'failed-adoption-removes-the-spool',
    file: 'server/money/ledger/spool-adoption.ts',
    find: 'await inChunks(operations, replay);',
    replace: 'await inChunks(operations, replay).catch(() => {});',
    tests: spoolTests,
    meaning: 'A spool that could not be replayed is removed.',
  },
  {
    name: 'failed-replay-clears-the-spool',
    file: spool,
    find: '        await inChunks(operations, replay);\n        count += operations.length;\n        replayedEnd = readEnd;',
    replace:
      '        replayedEnd = readEnd;\n        await inChunks(operations, replay);\n        count += operations.length;',
    tests: spoolTests,
    meaning: 'Lines whose replay failed count as replayed.',
  },
  {
    name: 'late-lines-are-cleared',
    file: spool,
    find: '    if (replayedEnd < end) return;\n',
    replace: '',
    tests: spoolTests,
    meaning: 'A line that arrives during the last replay is removed unread.',
  },
  {
    name: 'last-lines-are-left-behind',
    file: outage,
    find: '    } while (!spool.isEmpty);',
    replace: '    } while (spool.path === undefined);',
    tests: outageTests,
    meaning: 'A settlement that arrives in the last round of a drain waits for the next outage.',
  },
  {
    name: 'line-acknowledged-when-refused',
    file: spool,
    find: '        isStuck = true;\n',
    replace: '        isStuck = true;\n        for (const line of lines) line.resolve();\n',
    tests: spoolTests,
    meaning: 'A charge that the disk refused is acknowledged.',
  },
  {
    name: 'replayed-line-gets-todays-time',
    file: outage,
    find: 'const at = operation.at === 0 ? unixSeconds() : operation.at;',
    replace: 'const { at } = operation;',
    tests: outageTests,
    meaning: 'A replayed charge is dated when it is replayed, not when the call ended.',
  },
  {
    name: 'spool-waits-while-admission-begins',
    file: outage,
    find: '      replayed += await spool.drain(replay);',
    replace: '      void spool.drain(replay);\n      break;',
    tests: outageTests,
    meaning: 'New calls spend the balance before the spooled charges are booked.',
  },
  {
    name: 'fault-admits-calls',
    file: sqlite,
    find: '  if (outage.isNow) throw unavailable();\n  try {\n    return await work();',
    replace: '  try {\n    return await work();',
    tests: unwritableTests,
    title: 'admits no call before the spool is booked',
    meaning: 'New calls are admitted while the file cannot be written.',
  },
  {
    name: 'fault-admits-calls-from-memory',
    file: sqlite,
    find: '(outage.isNow ? undefined : slices.admit(call))',
    replace: 'slices.admit(call)',
    tests: unwritableTests,
    title: 'SQLITE_FULL: running calls end',
    meaning: 'New calls are admitted from memory while the file cannot be written.',
  },
  {
    name: 'failed-settlement-is-dropped',
    file: sqlite,
    find: '    return await outage.keep(operation);\n',
    replace: '    return;\n',
    tests: unwritableTests,
    title: 'SQLITE_FULL: running calls end',
    meaning: 'A settlement that the disk refused is not kept: the call is free.',
  },
  {
    name: 'purse-gets-the-whole-hold',
    file: direct,
    find: 'slices.answered(call, sent, call.amount + beyond - result.charged)',
    replace: 'slices.answered(call, sent, call.amount + beyond)',
    tests: holdTests,
    title: 'sequential calls',
    meaning: 'Finding: after settling, the whole hold is spendable again: a balance for 10 calls admits 30.',
  },
  {
    name: 'charge-beyond-hold-is-not-sent',
    file: direct,
    find: 'slices.send(call, beyond);',
    replace: 'slices.send(call, 0);',
    tests: balanceTests,
    title: 'sequential calls',
    meaning: 'What a settlement takes beyond its hold is spent a second time before it answers.',
  },
  {
    name: 'row-that-failed-leaves-memory',
    file: direct,
    find: 'if (answer === undefined) slices.putBack(call);',
    replace: 'if (answer === undefined) slices.answered(call, call.amount, 0);',
    tests: holdTests,
    title: 'a hold whose row cannot be written|a call that ends before the failed write',
    meaning: 'A hold whose row could not be written is neither in memory nor in its table.',
  },
  {
    name: 'id-settles-beside-memory',
    file: direct,
    find: 'const [, result] = await Promise.all([this.beginForeignWrite(), work()]);',
    replace: 'const result = await work();',
    tests: balanceTests,
    title: 'counts a task',
    meaning: 'A task that ends by its id changes a balance that memory still admits from.',
  },
  {
    name: 'lost-hold-stays',
    file: 'server/money/ledger/postgres/submissions.ts',
    find: "    if (operation.kind === 'reserve' && wasSent) {",
    replace: "      if (operation.kind === 'reserve' && wasSent && operation.amount < 0) {",
    tests: balanceTests,
    title: 'whose answer was lost',
    meaning: 'A hold whose answer was lost is not given back until it expires.',
  },
  {
    name: 'superseded-node-admits',
    file: postgres,
    find: "      if (heart.isSuperseded) throw new LedgerUnavailableError('this node has been replaced');\n",
    replace: '',
    tests: nodeTests,
    title: 'a second process with the same name',
    meaning: 'Two processes with one name admit calls.',
  },
  {
    name: 'living-node-is-recovered',
    file: nodes,
    find: 'n.heartbeat_at < ${CLOCK} - $4::bigint',
    replace: 'n.heartbeat_at < ${CLOCK} + $4::bigint',
    tests: [...recoveryTests, ...nodeTests],
    title: 'live node|silent node',
    meaning: 'Holds of living nodes are resolved by other nodes.',
  },
  {
    name: 'no-grace-after-an-outage',
    file: nodes,
    find: 'const silence = connectedMs >= silenceSeconds * 1000 ? silenceSeconds : Number.MAX_SAFE_INTEGER;',
    replace: 'const silence = silenceSeconds + 0 * connectedMs;',
    tests: [...recoveryTests, ...nodeTests],
    title: 'live node|silent node|unknown node',
    meaning: 'After an outage of the database every node takes the others for dead.',
  },
  {
    name: 'acknowledged-before-the-sync',
    file: writer,
    find: 'if (isSynced || isHarmlessIfLost(item)) item.resolve(results[index]);',
    replace: 'if (isSynced || isHarmlessIfLost(item) || index >= 0) item.resolve(results[index]);',
    tests: ['tests/integration/money/ledger/postgres.test.ts'],
    title: 'loses no acknowledged charge',
    meaning: 'A charge is acknowledged before PostgreSQL has it on the disk.',
  },
  {
    name: 'task-hold-may-be-lost',
    file: writer,
    find: "(operation.kind === 'reserve' && operation.lifetime === 'call')",
    replace: "operation.kind === 'reserve'",
    tests: ['tests/integration/money/ledger/postgres.test.ts'],
    title: 'loses no acknowledged hold',
    meaning: 'The hold of a task is acknowledged before it is on the disk.',
  },
];
