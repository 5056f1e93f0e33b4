/** The conditions of a target while they are edited. */
import type { ConditionName } from '#contract/relay/virtual-reasons.ts';
import type { WhenDraft } from '#web/features/virtual-models/rule-words.ts';

const NEW: Required<WhenDraft> = {
  prompt_at_least: null,
  prompt_at_most: null,
  fits_context: true,
  pictures: true,
  files: true,
  tools: true,
  structured_output: true,
  reasoning_efforts: [],
  header: { name: '' },
  tag: { key: '' },
  groups: [],
  hours: { from: '22:00', to: '06:00' },
  share_percent: null,
  budget_below: null,
  max_cost: null,
};

/** What a condition has when it is added: blank, so that the one who adds it decides. */
export const newCondition = <Name extends ConditionName>(name: Name): Required<WhenDraft>[Name] => NEW[name];

/** Undefined: without it. A new one is the last one. */
export function withCondition<Name extends ConditionName>(
  when: WhenDraft,
  name: Name,
  value: WhenDraft[Name] | undefined,
): WhenDraft {
  const next: WhenDraft = { ...when, [name]: value };
  if (value === undefined) delete next[name];
  return next;
}
