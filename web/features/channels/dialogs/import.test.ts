import { expect, test } from 'bun:test';
import { readImport } from './import.ts';

const one = { name: 'a', type: 1, key: 'sk-1', models: 'gpt-4o, gpt-4o-mini', group: 'default,vip' };

test('a list, a list inside an answer, and a single channel are read alike', () => {
  const channel = { name: 'a', type: 1, key: 'sk-1', models: 'gpt-4o,gpt-4o-mini', groups: 'default,vip' };
  for (const value of [[one], { data: [one] }, { channels: [one] }, one])
    expect(readImport(JSON.stringify(value))).toEqual({ lines: [{ name: 'a', channel }] });
});

test('objects and arrays are taken where the API takes text; what is not known is left out', () => {
  const { lines } = readImport(
    JSON.stringify([
      {
        ...one,
        key: { project_id: 'p' },
        models: ['x', 'y'],
        model_mapping: { x: 'z' },
        priority: 3,
        weight: '7',
        status: 3,
        used_quota: 99,
        base_url: ' https://api.example ',
      },
    ]),
  );
  expect(lines[0]?.channel).toEqual({
    name: 'a',
    type: 1,
    key: '{"project_id":"p"}',
    models: 'x,y',
    groups: 'default,vip',
    model_mapping: '{"x":"z"}',
    priority: 3,
    base_url: 'https://api.example',
  });
});

test('the problem of an entry is reported with its name', () => {
  const { lines } = readImport(
    JSON.stringify([{}, { ...one, type: 'x' }, { ...one, key: '' }, { ...one, models: [] }, one]),
  );
  expect(lines.map(({ name, problem }) => [name, problem])).toEqual([
    ['#1', 'name'],
    ['a', 'type'],
    ['a', 'key'],
    ['a', 'models'],
    ['a', undefined],
  ]);
  expect(readImport('[')).toEqual({ lines: [], problem: 'notJson' });
  expect(readImport('[]')).toEqual({ lines: [], problem: 'nothing' });
});
