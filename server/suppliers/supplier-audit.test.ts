import { describe, expect, test } from 'bun:test';
import { emptyCell, type Cell } from './cell.ts';
import { addTo, centreOf, countFrom, type Histogram } from './histogram.ts';
import { isSameModel } from './model-names.ts';
import { answerKey } from './probe-questions.ts';
import { expectedAnswer, judge, verdictOf } from './probe-verdicts.ts';
import { createPromptMemory } from './prompt-memory.ts';
import { kindOfText, promptTexts } from './request-text.ts';
import { findSignals, type ModelCounts } from './signals.ts';
import { shareOutcome, tailOf } from './statistics.ts';
import { isShown } from './user-groups.ts';

describe('names of models', () => {
  test.each([
    ['gpt-4o', 'gpt-4o-2024-08-06'],
    ['gpt-4', 'gpt-4-0613'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3.5-sonnet', 'claude-3-5-sonnet@20240620'],
    ['gemini-1.5-pro', 'models/gemini-1.5-pro-002'],
    ['gpt-4o', 'openai/GPT-4o'],
  ])('%s answered as %s is the same model', (asked, named) => {
    expect(isSameModel(asked, named)).toBe(true);
  });
  test.each([
    ['gpt-4o', 'gpt-4o-mini'],
    ['gpt-4o', 'gpt-3.5-turbo-0125'],
    ['claude-3-opus', 'claude-3-haiku-20240307'],
    ['deepseek-v3', 'deepseek-v2'],
    ['qwen-max', 'qwen-turbo-latest'],
  ])('%s answered as %s is another', (asked, named) => {
    expect(isSameModel(asked, named)).toBe(false);
  });
});

test('the tail of a binomial distribution, against sums by hand', () => {
  expect(tailOf(0, 10, 0.5)).toBe(1);
  expect(tailOf(10, 10, 0.5)).toBeCloseTo(1 / 1024, 10);
  expect(tailOf(2, 3, 0.1)).toBeCloseTo(3 * 0.01 * 0.9 + 0.001, 10);
  expect(tailOf(5, 50, 0.01)).toBeCloseTo(0.000146, 5);
  expect(tailOf(300, 10_000, 0.01)).toBeLessThan(1e-40);
  expect(tailOf(4, 3, 0.1)).toBe(0);
});

test('a share is sure only with four hits, and says nothing below the usual share', () => {
  expect(shareOutcome({ hits: 3, tries: 3 }, 0.001).strength).toBe(2);
  expect(shareOutcome({ hits: 8, tries: 50 }, 0.01).strength).toBe(3);
  expect(shareOutcome({ hits: 1, tries: 200 }, 0.01).strength).toBe(0);
});

test('a histogram knows its median to a class, and its error shrinks with the count', () => {
  const few: Histogram = {};
  const many: Histogram = {};
  for (let at = 0; at < 40; at += 1) addTo(few, 1.2 * (1 + ((at % 11) - 5) / 50));
  for (let at = 0; at < 4000; at += 1) addTo(many, 1.2 * (1 + ((at % 11) - 5) / 50));
  addTo(many, 0);
  addTo(many, Number.NaN);
  expect(2 ** (centreOf(few)?.median ?? 0)).toBeCloseTo(1.2, 1);
  expect(centreOf(many)?.count).toBe(4000);
  expect((centreOf(few)?.error ?? 0) / (centreOf(many)?.error ?? 1)).toBeCloseTo(10, 0);
  expect([countFrom(many, 2), countFrom(many, 0.5)]).toEqual([0, 4000]);
});

describe('the memory of prompts', () => {
  test('knows a beginning from its first call on, and forgets it after a day or two', () => {
    let now = 0;
    const memory = createPromptMemory(() => now, { completeFrom: () => 0 });
    expect([memory.isNew(5), memory.isNew(5)]).toEqual([true, false]);
    now = 90_000;
    expect(memory.isNew(5)).toBe(false);
    now = 290_000;
    expect(memory.isNew(7)).toBe(true);
  });
  test('says nothing while other processes may have sent it', () => {
    let now = 0;
    const memory = createPromptMemory(() => now, { completeFrom: () => 100 });
    expect(memory.isNew(5)).toBeUndefined();
    now = 200;
    expect([memory.isNew(5), memory.isNew(6)]).toEqual([false, true]);
  });
  test('is bounded: it then follows a part of the beginnings, and of those it knows each', () => {
    const memory = createPromptMemory(() => 0, { completeFrom: () => 0, mostKeys: 100 });
    for (let key = 0; key < 10_000; key += 1) memory.isNew(key);
    const known = Array.from({ length: 10_000 }, (_, key) => memory.isNew(key));
    expect(known.filter((each) => each === true)).toEqual([]);
    expect(known.filter((each) => each === false).length).toBeWithin(50, 101);
  });
});

describe('a fault must be seen by several groups of users', () => {
  const cell = (answers: number, cut: number): Cell => ({ ...emptyCell(), answers, cut });
  const shown = (...groups: Cell[]): boolean =>
    isShown(groups, ({ cut, answers }) => shareOutcome({ hits: cut, tries: answers }, 0.01));

  test('one user alone cannot frame a channel that others use', () => {
    expect(shown(cell(200, 60), cell(50, 0), cell(50, 0))).toBe(false);
    expect(shown(cell(200, 60), cell(15, 0))).toBe(false);
  });
  test('one user alone, or several, show it', () => {
    expect(shown(cell(200, 20))).toBe(true);
    expect(shown(cell(60, 8), cell(60, 8))).toBe(true);
    expect(shown(cell(200, 20), cell(15, 2))).toBe(true);
  });
  test('one user who is served honestly cannot hide it', () => {
    expect(shown(cell(3000, 0), cell(60, 8), cell(60, 8))).toBe(true);
  });
});

describe('times of the first token and speeds', () => {
  const timed = (channelId: number, milliseconds: number, tokensPerSecond: number): ModelCounts => {
    const cell = { ...emptyCell(), answers: 60 };
    for (let answer = 0; answer < 60; answer += 1) {
      addTo(cell.firstToken, milliseconds * (0.9 + (answer % 5) / 20));
      addTo(cell.speed, tokensPerSecond * (0.9 + (answer % 5) / 20));
    }
    return { channelId, model: 'm', isTrusted: false, groups: [cell], all: cell };
  };
  const found = (counts: ModelCounts, ...others: ModelCounts[]) =>
    findSignals({ counts, others, priceOf: () => undefined }).map(({ signal }) => signal);

  test('three times as fast or slow as others is found, half as much is not', () => {
    const others = [timed(2, 400, 50), timed(3, 400, 50)];
    expect(found(timed(1, 400, 200), ...others)).toEqual(['fast']);
    expect(found(timed(1, 400, 12), ...others)).toEqual(['slow']);
    expect(found(timed(1, 1600, 50), ...others)).toEqual(['late']);
    expect(found(timed(1, 600, 75), ...others)).toEqual([]);
  });
  test('an honest channel is not slow because one of two others is fast', () => {
    expect(found(timed(1, 400, 50), timed(2, 400, 52), timed(3, 400, 250))).toEqual([]);
    expect(found(timed(3, 400, 250), timed(1, 400, 50), timed(2, 400, 52))).toEqual(['fast']);
  });
  test('nobody is late within a quarter of a second, whatever others need', () => {
    const near = [timed(2, 2, 50), timed(3, 3, 50)];
    expect(found(timed(1, 240, 50), ...near)).toEqual([]);
    expect(found(timed(1, 1000, 50), ...near)).toEqual(['late']);
  });
});

test('fewer input tokens than others is a hint at another tokenizer, beside a liar it is not', () => {
  const counts = (channelId: number, ratio: number, count = 60): ModelCounts => {
    const cell = { ...emptyCell(), answers: 60 };
    for (let answer = 0; answer < count; answer += 1)
      addTo(cell.input_latin, ratio * (0.9 + (answer % 5) / 20));
    return { channelId, model: 'm', isTrusted: false, groups: [cell], all: cell };
  };
  const found = (own: number, ...others: number[]) =>
    findSignals({
      counts: counts(1, own),
      others: others.map((ratio, index) => counts(index + 2, ratio)),
      priceOf: () => undefined,
    }).map(({ signal, penalty }) => [signal, penalty]);
  expect(found(1, 1.3, 1.25)).toEqual([['tokenizer', 15]]);
  expect(found(1.2, 1.25, 1.25)).toEqual([]);
  expect(found(1, 1.02, 1.6)).toEqual([]);
  // Of the two others only one has enough texts of this script.
  const others = [counts(2, 1), counts(3, 1.3, 20)];
  expect(findSignals({ counts: counts(1, 1.3), others, priceOf: () => undefined })).toEqual([]);
});

describe('texts', () => {
  test('are compared only where tokens per character are steady', () => {
    expect(kindOfText('A quiet harbour at dawn, and boats that wait for the tide.')).toBe('latin');
    expect(kindOfText('清晨的港口很安静，船在等待潮水。')).toBe('wide');
    expect(kindOfText('{"a":[1,2,3],"b":{"c":null}}')).toBeUndefined();
    expect(kindOfText('🙂🙃🙂🙃')).toBeUndefined();
  });
  test('of a request are plain only without pictures, files and tools', () => {
    const plain = {
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    };
    expect(promptTexts(plain, 100)).toEqual({ text: 'Be brief.Hi', isPlain: true });
    const picture = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] };
    expect(promptTexts(picture, 100).isPlain).toBe(false);
    expect(promptTexts({ ...plain, tools: [] }, 100).isPlain).toBe(false);
  });
});

describe('probes', () => {
  const probe = (channel_id: number, answer: string) => ({ channel_id, answer, verdict: 'unknown' as const });
  test('are compared with trusted channels, else with two that agree', () => {
    const trusted = new Set([2]);
    const answers = [probe(2, '742'), probe(2, '742.'), probe(3, '47'), probe(1, '47')];
    expect(expectedAnswer(answers, trusted, 1)).toBe('742');
    expect(expectedAnswer(answers, new Set(), 1)).toBeUndefined();
    expect(expectedAnswer([probe(2, '7'), probe(3, ' 7')], new Set(), 1)).toBe('7');
    expect(expectedAnswer([probe(2, '7'), probe(2, '7')], new Set(), 1)).toBeUndefined();
  });
  test('expect what most of the others answer, each with its newest answer', () => {
    const answers = [probe(2, '7'), probe(2, '9'), probe(3, '7'), probe(4, '8')];
    expect(expectedAnswer(answers, new Set(), 1)).toBe('7');
    expect(expectedAnswer([...answers, probe(5, '8')], new Set(), 1)).toBeUndefined();
    expect(expectedAnswer(answers, new Set(), 3)).toBeUndefined();
  });

  const questions = Array.from({ length: 40 }, (_, index) => `q${index}`);
  /** Answers like the others but to the first `other` questions. */
  const sheet = (other: number, answer = 'x', count = 3) =>
    new Map(
      questions.map((id, at) => [id, Array.from({ length: count }, () => (at < other ? answer : 'a'))]),
    );
  const accused = (sheets: Map<string, string[]>[], trusted: number[] = []) =>
    sheets
      .map((_, index) =>
        judge(new Map(sheets.map((each, at) => [at + 1, each])), new Set(trusted), index + 1),
      )
      .flatMap((finding, index) => (finding === undefined ? [] : [[index + 1, finding.hits, finding.tries]]));

  test('accuse the one of three whose answers differ, and none of two', () => {
    expect(accused([sheet(20), sheet(0), sheet(0)])).toEqual([[1, 20, 40]]);
    expect(accused([sheet(20), sheet(0)])).toEqual([]);
  });
  test('accuse no channel that differs in a few answers', () => {
    expect(accused([sheet(10), sheet(0), sheet(0)])).toEqual([]);
  });
  test('accuse the minority of five, and none when liars and honest ones are two each', () => {
    expect(accused([sheet(20), sheet(20), sheet(0), sheet(0), sheet(0)]).map(([id]) => id)).toEqual([1, 2]);
    expect(accused([sheet(20), sheet(20), sheet(0), sheet(0)])).toEqual([]);
  });
  test('accuse no channel of a model that changes its answers', () => {
    const restless = (turn: number) =>
      new Map(questions.map((id, at) => [id, [`${(at * 7 + turn * 3) % 4}`, `${(at + turn) % 3}`, 'b']]));
    expect(accused([restless(0), restless(1), restless(2)])).toEqual([]);
  });
  test('compare with the two halves of what a single trusted channel answered', () => {
    expect(accused([sheet(20), sheet(0, 'a', 6)], [2])).toEqual([[1, 20, 40]]);
    const restless = new Map(questions.map((id, at) => [id, at % 2 === 0 ? ['a', 'a'] : ['b', 'c']]));
    expect(accused([sheet(40), restless], [2])).toEqual([[1, 20, 20]]);
    expect(accused([sheet(40), sheet(0, 'a', 1)], [2])).toEqual([]);
  });
  test('ignore case, spaces and punctuation', () => {
    expect(verdictOf(' Cat.', 'cat')).toBe('agrees');
    expect(verdictOf('Cow', 'cat')).toBe('differs');
    expect(verdictOf('Cow', undefined)).toBe('unknown');
    expect(answerKey('“水落石出”。')).toBe('水落石出');
  });
});
