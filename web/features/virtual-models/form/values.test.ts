// What the editor sends for what it shows, and the same as code.
import { describe, expect, test } from 'bun:test';
import { virtualModelFields } from '#contract/relay/virtual-models.ts';
import {
  blankTarget,
  bodyOf,
  declarationOf,
  formValues,
  isCodeProblem,
  moved,
  USUAL_FALLBACKS,
  valuesOfCode,
} from './values.ts';

const EVERY_CONDITION = {
  prompt_at_least: 10,
  prompt_at_most: 8000,
  fits_context: true as const,
  pictures: true,
  files: false,
  tools: true,
  structured_output: false,
  reasoning_efforts: ['high'],
  header: { name: 'x-tier', values: ['gold'] },
  tag: { key: 'team' },
  groups: ['vip'],
  hours: { from: '22:00', to: '06:00', days: [1, 7] },
  share_percent: 30,
  budget_below: 5,
  max_cost: 0.02,
};
const FIELDS = virtualModelFields.parse({
  name: 'fast',
  description: 'quick answers',
  price: 'own',
  targets: [
    { model: 'gpt-4o', when: EVERY_CONDITION, fall_back_on: ['down'], first_token_seconds: 10 },
    { model: 'gpt-4o-mini' },
  ],
});

describe('the values of the editor', () => {
  test('what is loaded is sent unchanged', () => {
    expect(bodyOf(formValues(FIELDS))).toEqual(FIELDS);
  });

  test('a target without fallbacks of its own has those of the contract', () => {
    expect(
      virtualModelFields.parse({ name: 'a', targets: [{ model: 'b' }] }).targets[0]?.fall_back_on,
    ).toEqual([...USUAL_FALLBACKS]);
  });

  test('a cleared number is refused by the contract, not left out', () => {
    const values = formValues(FIELDS);
    const target = { ...blankTarget([]), model: 'gpt-4o', when: { max_cost: null } };
    const parsed = virtualModelFields.safeParse(bodyOf({ ...values, targets: [target] }));
    expect(parsed.error?.issues.map(({ path }) => path.join('.'))).toEqual(['targets.0.when.max_cost']);
  });

  test('rows move up, down and to where they are', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'b', 'c']);
  });
});

describe('the declaration as code', () => {
  test('it has every condition, leaves out defaults, and is read back as it was', () => {
    const declared = declarationOf(formValues(FIELDS));
    expect(declared).toEqual({
      name: 'fast',
      description: 'quick answers',
      price: 'own',
      targets: [
        { model: 'gpt-4o', when: EVERY_CONDITION, fall_back_on: ['down'], first_token_seconds: 10 },
        { model: 'gpt-4o-mini' },
      ],
    });
    // The configuration file reads it by the same schema.
    expect(virtualModelFields.strict().parse(declared)).toEqual(FIELDS);
    const read = valuesOfCode(JSON.stringify(declared));
    expect(isCodeProblem(read) ? read : bodyOf(read)).toEqual(FIELDS);
  });

  test.each([
    ['{', { kind: 'json' }],
    ['[]', { kind: 'shape', place: 'JSON' }],
    ['{"name": 1, "targets": []}', { kind: 'shape', place: 'name' }],
    ['{"name": "a", "targets": [], "rules": []}', { kind: 'shape', place: 'rules' }],
    ['{"name": "a", "targets": ["b"]}', { kind: 'shape', place: 'targets' }],
    ['{"name": "a", "targets": [{"model": "b", "else": "c"}]}', { kind: 'shape', place: 'targets.0.else' }],
    [
      '{"name": "a", "targets": [{"model": "b", "fall_back_on": ["hope"]}]}',
      { kind: 'shape', place: 'targets.0.fall_back_on' },
    ],
    [
      '{"name": "a", "targets": [{"model": "b", "when": {"header": "x"}}]}',
      { kind: 'shape', place: 'targets.0.when.header' },
    ],
    [
      '{"name": "a", "targets": [{"model": "b", "when": {"weather": "fine"}}]}',
      { kind: 'shape', place: 'targets.0.when.weather' },
    ],
  ])('%s cannot be shown as a form', (code, problem) => {
    expect(valuesOfCode(code)).toMatchObject(problem);
  });
});
