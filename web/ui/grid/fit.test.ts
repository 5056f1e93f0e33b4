import { expect, test } from 'bun:test';
import { cellsOf, fitColumns, spreadWidths } from './fit.ts';

const columns = [
  { id: 'name', minWidth: 180, fixed: true },
  { id: 'status', width: 100 },
  { id: 'created', width: 120, leaves: 1 },
  { id: 'addresses', width: 80, leaves: 2 },
  { id: 'note', width: 200, hidden: true },
];
const ids = (fit: { shown: { id: string }[] }) => fit.shown.map((column) => column.id);

test('everything fits on a wide screen, hidden columns stay hidden', () => {
  expect(ids(fitColumns(columns, {}, 1000))).toEqual(['name', 'status', 'created', 'addresses']);
});

test('columns are hidden in their fixed order on narrow screens', () => {
  expect(ids(fitColumns(columns, {}, 400))).toEqual(['name', 'status', 'addresses']);
  expect(ids(fitColumns(columns, {}, 300))).toEqual(['name', 'status']);
});

test('a column that the user switched on is hidden after the others', () => {
  expect(ids(fitColumns(columns, { created: true }, 400))).toEqual(['name', 'status', 'created']);
});

test('columns without an order stay and the table scrolls', () => {
  expect(fitColumns(columns, {}, 100)).toEqual({ shown: [columns[0]!, columns[1]!], minWidth: 280 });
});

test('the choice of the user wins over the default, but never hides a fixed column', () => {
  expect(ids(fitColumns(columns, { name: false, status: false, note: true }, 2000))).toEqual([
    'name',
    'created',
    'addresses',
    'note',
  ]);
});

test('before the first measurement no column is hidden', () => {
  expect(ids(fitColumns(columns, {}, 0))).toEqual(['name', 'status', 'created', 'addresses']);
});

test('room to spare is shared: half of it widens the columns with a width, the actions keep theirs', () => {
  const shown = [...columns.slice(0, 4), { id: 'actions', width: 54, headerHidden: true }];
  expect(spreadWidths(shown, 534)).toEqual({ status: 100, created: 120, addresses: 80, actions: 54 });
  expect(spreadWidths(shown, 654)).toEqual({ status: 120, created: 144, addresses: 96, actions: 54 });
  expect(spreadWidths(shown, 4000)).toEqual({ status: 150, created: 180, addresses: 120, actions: 54 });
});

test('a column with long values shares the rest with the column without a width', () => {
  const shown = [
    { id: 'name', minWidth: 180 },
    { id: 'status', width: 100 },
    { id: 'models', width: 100, shares: true },
  ];
  expect(spreadWidths(shown, 300)).toEqual({ status: 100, models: 100 });
  expect(spreadWidths(shown, 460)).toEqual({ status: 120, models: 140 });
});

test('a cell takes the place of the columns after it that are empty in its row, up to the first other one', () => {
  const spanning = [
    { id: 'text', spans: (row: { isCall: boolean }) => (row.isCall ? [] : ['time', 'tokens', 'cost']) },
    { id: 'time' },
    { id: 'tokens' },
    { id: 'user' },
    { id: 'cost' },
  ];
  const of = (isCall: boolean, shown = spanning) =>
    cellsOf(shown, { isCall }).map(({ column, span }) => `${column.id} ${span}`);
  expect(of(true)).toEqual(['text 1', 'time 1', 'tokens 1', 'user 1', 'cost 1']);
  expect(of(false)).toEqual(['text 3', 'user 1', 'cost 1']);
  expect(
    of(
      false,
      spanning.filter(({ id }) => id !== 'time'),
    ),
  ).toEqual(['text 2', 'user 1', 'cost 1']);
});
