import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { judgeRow, type FileResult, type TestResult } from './judge.ts';
import { findMarkedFiles, rowsMarkedIn } from './marks.ts';
import { plannedFaults } from './rows.ts';
import { readSeen, readTests } from './run.ts';
import { makeTable, readTable } from './table.ts';

const root = path.join(import.meta.dir, '../..');
const row = { id: 'M1', fault: 'a fault', holds: 'it holds' } as const;
const seen = [{ row: 'M1', figure: '500 calls at once, 10 admitted' }];
const proof = (outcome: TestResult['outcome']): TestResult => ({
  title: 'a (plan M1)',
  rows: ['M1'],
  outcome,
});
const run = (tests: TestResult[], more: Partial<FileResult> = {}) => [
  { file: 'tests/a.test.ts', rows: ['M1'], tests, seen, crashed: false, ...more },
];

describe('a row', () => {
  test('passes when its test passed and saw the fault', () => {
    expect(judgeRow(row, run([proof('passed'), proof('skipped')]))).toEqual({
      passed: true,
      figure: '500 calls at once, 10 admitted',
      tests: ['tests/a.test.ts'],
    });
  });

  test.each([
    ['saw no fault', run([proof('passed')], { seen: [] })],
    ['saw another fault', run([proof('passed')], { seen: [{ row: 'M2', figure: '' }] })],
    ['failed', run([proof('passed'), proof('failed')])],
    ['was skipped', run([proof('skipped')])],
    ['is missing from the report', run([])],
    ['passed in a run that ended with an error', run([proof('passed')], { crashed: true })],
    ['does not exist', []],
    [
      'saw the fault in another file only',
      [...run([proof('passed')]), ...run([proof('passed')], { file: 'b', seen: [] })],
    ],
  ])('does not pass when its test %s', (_, files) => {
    const result = judgeRow(row, files);
    expect(result.passed).toBe(false);
    expect(result.figure).not.toBe('');
  });

  test('fails alone: another row of a file with a failed test is judged by its own tests', () => {
    const other: TestResult = { title: 'b (plan M2)', rows: ['M2'], outcome: 'failed' };
    expect(judgeRow(row, run([proof('passed'), other], { crashed: true })).passed).toBe(true);
  });

  test('that cannot be tested does not pass and says why', () => {
    const result = judgeRow({ ...row, untestable: 'no such disk' }, run([proof('passed')]));
    expect(result).toMatchObject({ passed: false, figure: 'not tested: no such disk' });
  });
});

test('results and seen faults are read from the report of a run', () => {
  const xml = `<testsuites><testsuite name="x">
    <testcase name="one &amp; &quot;two&quot; (plan M1, M2)" classname="a &gt; b" time="0" />
    <testcase name="three" classname="(plan C1)"><failure message="(plan S1)">no</failure></testcase>
    <testcase name="four (plan C2)" classname=""><skipped /></testcase>
    <testcase name="five" classname=""><skipped /></testcase></testsuite></testsuites>`;
  expect(readTests(xml, 'x')).toEqual([
    { title: 'a > b one & "two" (plan M1, M2)', rows: ['M1', 'M2'], outcome: 'passed' },
    { title: '(plan C1) three', rows: ['C1'], outcome: 'failed' },
    { title: 'four (plan C2)', rows: ['C2'], outcome: 'skipped' },
  ]);
  expect(readSeen('{"row":"M1","figure":"a"}\n{"row":"M2","figure":"b"}\n')).toEqual([
    { row: 'M1', figure: 'a' },
    { row: 'M2', figure: 'b' },
  ]);
});

test('an unknown row in a title is an error', () => {
  expect(rowsMarkedIn('M1 a title (plan M1, C3) and (plan C3)', 'x')).toEqual(['M1', 'C3']);
  expect(() => rowsMarkedIn('a title (plan M99)', 'a.test.ts')).toThrow('a.test.ts: the plan has no row M99');
});

test('the table lists every row, and an earlier table is read back', () => {
  const result = {
    id: 'M1',
    passed: true,
    figure: 'a | b',
    tests: ['tests/a.test.ts', 'tests/b.test.ts'],
    date: '2026-01-01',
    machine: '2 processors',
  };
  const failed = { ...result, id: 'M2', passed: false, figure: 'no test', tests: [] };
  const text = makeTable(
    new Map([
      ['M1', result],
      ['M2', failed],
    ]),
  );
  expect(text).toContain(`**1 of ${plannedFaults.length} rows pass.**`);
  expect([...readTable(text).values()]).toEqual([{ ...result, figure: 'a / b' }, failed]);
  expect(text.match(/not run/g)).toHaveLength(plannedFaults.length - 2);
});

test('the plan has 117 rows, each once', () => {
  expect(new Set(plannedFaults.map(({ id }) => id)).size).toBe(117);
});

test('docs/fault-results.md lists every row', () => {
  const text = readFileSync(path.join(root, 'docs/fault-results.md'), 'utf8');
  const listed = [...text.matchAll(/^\| ([A-Z]\d+) /gm)].map(([, id]) => id);
  expect(listed).toEqual(plannedFaults.map(({ id }) => id));
});

test('every marked file records each of its rows, and the tests that the table names exist', () => {
  const missing = findMarkedFiles(root).flatMap(({ file, rows, source }) =>
    // A table of cases may name the row apart from the call.
    rows
      .filter((id) => !source.includes('faultSeen(') || !source.includes(`'${id}'`))
      .map((id) => `${file}: ${id}`),
  );
  expect(missing).toEqual([]);
  const text = readFileSync(path.join(root, 'docs/fault-results.md'), 'utf8');
  const gone = [...readTable(text).values()].flatMap(({ tests }) =>
    tests.filter((file) => !existsSync(path.join(root, file))),
  );
  expect(gone).toEqual([]);
});
