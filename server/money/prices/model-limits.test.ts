import { expect, test } from 'bun:test';
import { modelLimits } from './model-limits.ts';

test('the reasoning of R1 comes beside its answer, whose length alone its limit bounds (M11)', () => {
  for (const name of ['deepseek-r1', 'deepseek-ai/DeepSeek-R1', 'deepseek/deepseek-r1'])
    expect(modelLimits({}, name)).toMatchObject({ besideTokens: 32_768, limitsReasoning: false });
  expect(modelLimits({}, 'deepseek-r1').answerTokens).toBe(8192);
  expect(modelLimits({}, 'deepseek-r1-distill-qwen-32b')).toMatchObject({
    answerTokens: 16_384,
    besideTokens: 32_768,
  });
});

test('the later models of DeepSeek count their reasoning in the answer (M11)', () => {
  expect(modelLimits({}, 'deepseek-reasoner')).toMatchObject({ answerTokens: 65_536, besideTokens: 0 });
  for (const name of ['deepseek-v4-pro', 'deepseek-v4-flash'])
    expect(modelLimits({}, name)).toMatchObject({ answerTokens: 393_216, besideTokens: 0 });
});

test('the operator’s number counts before the list, also for all models at once (M11)', () => {
  const settings = { 'deepseek-r1': { answer: 4000 }, '*': { answer: 100, speed: 900 } };
  expect(modelLimits(settings, 'deepseek-r1')).toMatchObject({ answerTokens: 4000, tokensPerSecond: 900 });
  expect(modelLimits(settings, 'gpt-4o').answerTokens).toBe(100);
  // A silent second is charged as a slow model's, or as the operator says, never above the top speed.
  expect(modelLimits({}, 'o3').hiddenTokensPerSecond).toBe(50);
  const hidden = { o3: { hidden: 200 }, o1: { hidden: 200, speed: 120 }, '*': { hidden: 0 } };
  expect(['o3', 'o1', 'gpt-5'].map((name) => modelLimits(hidden, name).hiddenTokensPerSecond)).toEqual([
    200, 120, 0,
  ]);
  expect(modelLimits({}, 'constructor')).toMatchObject({ answerTokens: 32_768, isAnswerKnown: false });
});

test('the operator’s context counts before the list’s, and a router’s name is its last part', () => {
  expect(modelLimits({ 'gpt-4o': { context: 1000 } }, 'gpt-4o').contextTokens).toBe(1000);
  expect(modelLimits({}, 'gpt-4o').contextTokens).toBeGreaterThan(1000);
  expect(modelLimits({}, 'router/vendor/o9')).toMatchObject({ isReasoning: true, answerTokens: 128_000 });
  expect(modelLimits({}, 'valueOf')).toMatchObject({ tokensPerSecond: 500, answerTokens: 32_768 });
});
