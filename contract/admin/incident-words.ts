// The title of an incident about models that cannot be called: that of the job, and what the form of operators begins with.
import type { Text } from '#contract/language.ts';

/** `isPart`: some groups have no channel left, others are served. */
export function unavailableTitle(models: readonly string[], isPart: boolean): Text {
  const [first = '', ...others] = models;
  const zh = others.length === 0 ? first : `${first} 等 ${models.length} 个模型`;
  const en = others.length === 0 ? first : `${first} and ${others.length} more`;
  return isPart
    ? { zh: `${zh} 部分不可用`, en: `${en}: unavailable in part` }
    : { zh: `${zh} 暂不可用`, en: `${en}: unavailable` };
}
