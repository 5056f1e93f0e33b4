// The rules of the channel page: grades, forms, mappings, lists of models, pasted snippets, queues of tests.
import { describe, expect, test } from 'bun:test';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { changeBody, formValues, keyLines, parsePriority, parseWeight, problemsOf } from './form/values.ts';
import { factText } from '#contract/facts.ts';
import { errorStatus, healthOf, responseGrade, responseText } from './list/grades.ts';
import { addModels, modelDifference, modelsForType } from './form/model-list.ts';
import { pairsOf, textOfPairs } from './form/pairs.ts';
import { recognise } from './form/recognise.ts';
import { emptyTagValues, overwrites, tagBody, tagNumber, tagProblem } from './dialogs/tag-values.ts';
import { runTests, type TestState } from './test/test-queue.ts';
import { drawerOfPath, pageOfPath } from './use-channel-search.ts';

const type: ChannelType = {
  type: 1,
  name: 'OpenAI',
  mark: 'OA',
  default_base_url: 'https://api.openai.com',
  base_url_required: false,
  base_url_label: { zh: '', en: '' },
  key_format: '',
  key_is_json: false,
  other_label: { zh: '', en: '' },
  other_example: '',
  other_required: false,
  note: { zh: '', en: '' },
  models: [],
  presets_models: false,
  is_ready: true,
  can_list_models: true,
  can_read_balance: true,
  balance_currency: 'USD',
};

test('O32: models that came with a type leave with it', () => {
  const suno = { presets_models: true, models: ['suno_music', 'suno_lyrics'] };
  const openAi = { presets_models: false, models: ['gpt-4o'] };
  expect(modelsForType(['gpt-4o'], openAi, suno)).toEqual(suno.models);
  expect(modelsForType([...suno.models, 'own'], suno, openAi)).toEqual(['own']);
  expect(modelsForType(['gpt-4o'], openAi, openAi)).toEqual(['gpt-4o']);
});

describe('grades', () => {
  test('REL-9.05 REL-9.06 REL-9.07 REL-9.08 REL-9.09 response time: 0 untested, 1 s green, 3 s lime, 5 s yellow, above red', () => {
    const grades = [0, 1, 1000, 1001, 3000, 3001, 5000, 5001].map(responseGrade);
    expect(grades).toEqual(['untested', 'green', 'green', 'lime', 'lime', 'yellow', 'yellow', 'red']);
    expect([responseText(412), responseText(1240)]).toEqual([
      { digits: '412', unit: 'ms' },
      { digits: '1.24', unit: 's' },
    ]);
  });

  test('an hour is idle, healthy, degraded or failing by its share of failures', () => {
    const hours = [
      [0, 0],
      [100, 1],
      [90, 10],
      [1, 1],
      [0, 3],
    ] as const;
    expect(hours.map(([calls, errors]) => healthOf({ calls, errors }))).toEqual([
      'idle',
      'healthy',
      'degraded',
      'failing',
      'failing',
    ]);
  });

  test('a failed test shows the status of a refusal, never the 200 of a useless answer (O46)', () => {
    const refused = factText('upstreamSaid', { status: 401, words: 'no' });
    expect([errorStatus(refused), errorStatus('401 no'), errorStatus('no route')]).toEqual([
      '401',
      '401',
      undefined,
    ]);
    const useless = factText('noAnswer', { status: 200 });
    expect([errorStatus(useless), errorStatus('200 without an answer')]).toEqual([undefined, undefined]);
  });
});

describe('the form', () => {
  test('REL-5.09 REL-5.10 REL-5.11 priority and weight are parsed as integers, a weight below 0 becomes 0', () => {
    expect(['7', '-3', '2.9', 'x'].map(parsePriority)).toEqual([7, -3, 2, undefined]);
    expect(['7', '-3', '2.9', 'x'].map(parseWeight)).toEqual([7, 0, 2, undefined]);
    expect(parsePriority('-5000')).toBe(-999);
  });

  test('what is required is named, a stored key may stay', () => {
    const empty = { ...formValues(), groups: [] };
    expect(problemsOf(empty, type, true)).toEqual({
      name: 'nameRequired',
      key: 'keyRequired',
      models: 'modelsRequired',
      groups: 'groupsRequired',
    });
    expect(problemsOf(empty, type, false).key).toBeUndefined();
    const demanding = { ...type, base_url_required: true, other_required: true, key_is_json: true };
    const values = { ...empty, key: 'x', model_mapping: '[]', setting: '{' };
    expect(problemsOf(values, demanding, true)).toMatchObject({
      key: 'keyNotJson',
      base_url: 'baseUrlRequired',
      other: 'otherRequired',
      model_mapping: 'mappingNotJson',
      setting: 'notJson',
    });
  });

  test('only what changed is sent', () => {
    const initial = formValues();
    expect(changeBody({ ...initial, weight: 4, models: ['a', 'b'] }, initial, 9)).toEqual({
      id: 9,
      weight: 4,
      models: 'a,b',
    });
  });

  test('keys are counted by line, repetitions apart', () => {
    expect(keyLines('a\n\n b \na')).toEqual({ keys: 2, duplicates: 1 });
  });

  test('the path selects the open drawer', () => {
    expect(['/channel', '/channel/add', '/channel/edit/12', '/channel/edit/x'].map(drawerOfPath)).toEqual([
      undefined,
      'add',
      12,
      undefined,
    ]);
  });
});

test('an address of a channel is its page; a form that was opened from the list leaves the list where it is', () => {
  expect(
    ['/channel', '/channel/add', '/channel/7', '/channel/edit/12'].map((path) => pageOfPath(path, false)),
  ).toEqual([undefined, undefined, 7, 12]);
  expect(pageOfPath('/channel/edit/12', true)).toBeUndefined();
  expect(pageOfPath('/channel/7', true)).toBe(7);
});

describe('models', () => {
  test('REL-5.07 REL-5.08 a comma-separated entry is split, an existing name is reported', () => {
    expect(addModels(['a'], ' b, c，b ')).toEqual({ models: ['a', 'b', 'c'], existing: [] });
    expect(addModels(['a'], 'b,a').existing).toEqual(['a']);
  });

  test('a mapped model is compared by the name sent to the upstream', () => {
    expect(modelDifference(['mine', 'old'], ['real', 'new'], { mine: 'real' })).toEqual({
      missing: ['new'],
      gone: ['old'],
    });
  });
});

describe('mappings', () => {
  test('pairs and JSON convert both ways; other JSON can only be edited as text', () => {
    expect(pairsOf('{"a":"b","400":500}')).toEqual([
      { from: '400', to: '500' },
      { from: 'a', to: 'b' },
    ]);
    expect([pairsOf(''), pairsOf('{"a":{}}'), pairsOf('{')]).toEqual([[], undefined, undefined]);
    expect(
      textOfPairs([
        { from: ' a ', to: 'b' },
        { from: '', to: 'x' },
      ]),
    ).toBe('{\n  "a": "b"\n}');
    expect(textOfPairs([{ from: '', to: '' }])).toBe('');
  });
});

describe('tags', () => {
  test('REL-5.14 REL-5.15 a tag takes an integer priority and a non-negative integer weight', () => {
    expect(['5', '-5', '1.5', 'x'].map((text) => tagNumber('priority', text))).toEqual([
      5,
      -5,
      undefined,
      undefined,
    ]);
    expect(['5', '-5', '1.5', 'x'].map((text) => tagNumber('weight', text))).toEqual([
      5,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('blank fields are not sent; a blank name dissolves', () => {
    const values = emptyTagValues('t');
    expect(tagProblem('t', values)).toBe('nothingChanged');
    expect(tagProblem('t', { ...values, model_mapping: 'x' })).toBe('mappingNotJson');
    expect(tagBody('t', { ...values, new_tag: '', groups: ['vip'] })).toEqual({
      tag: 't',
      new_tag: '',
      groups: 'vip',
    });
    expect(overwrites([], values)).toEqual([]);
  });
});

describe('a pasted snippet', () => {
  test('a curl command gives type, address and key', () => {
    const curl = `curl https://api.openai.com/v1/chat/completions -H "Authorization: Bearer sk-abcdefgh12345678"`;
    expect(recognise(curl, [type])).toEqual({ type: 1, key: 'sk-abcdefgh12345678' });
    const other = `OPENAI_BASE_URL=https://relay.example.com/v1\nOPENAI_API_KEY="sk-abcdefgh12345678"`;
    expect(recognise(other, [type])).toEqual({
      type: 1,
      base_url: 'https://relay.example.com',
      key: 'sk-abcdefgh12345678',
    });
    expect(recognise('ANTHROPIC_API_KEY=sk-ant-abcdefgh', [type])).toMatchObject({ type: 14 });
    expect(recognise('nothing here', [type])).toEqual({});
  });
});

describe('a queue of tests', () => {
  const items = ['a', 'b', 'c', 'd'].map((key) => ({ key, channelId: 1, name: key }));

  test('runs a few at a time and reports each result', async () => {
    const states = new Map<string, TestState>();
    let running = 0;
    let most = 0;
    await runTests({
      items,
      atOnce: 2,
      signal: new AbortController().signal,
      test: async ({ key }) => {
        running += 1;
        most = Math.max(most, running);
        await Bun.sleep(1);
        running -= 1;
        if (key === 'c') throw new Error('refused');
        return { milliseconds: 5, firstMilliseconds: 2 };
      },
      onState: (key, state) => states.set(key, state),
    });
    expect(most).toBe(2);
    expect(states.get('a')).toEqual({ kind: 'passed', milliseconds: 5, firstMilliseconds: 2 });
    expect(states.get('c')).toEqual({ kind: 'failed', error: 'refused' });
  });

  test('a stop leaves the rest untested', async () => {
    const controller = new AbortController();
    const states = new Map<string, TestState>();
    await runTests({
      items,
      atOnce: 1,
      signal: controller.signal,
      test: async ({ key }) => {
        if (key === 'b') controller.abort();
        controller.signal.throwIfAborted();
        return { milliseconds: 1, firstMilliseconds: 0 };
      },
      onState: (key, state) => states.set(key, state),
    });
    expect(states.get('b')).toEqual({ kind: 'waiting' });
    expect(states.has('c')).toBe(false);
  });
});
