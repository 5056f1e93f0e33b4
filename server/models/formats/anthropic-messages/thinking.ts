// The reasoning budget and `max_tokens`, which depend on each other.
import type {
  CanonicalReasoning,
  CanonicalRequest,
  ConversionNote,
} from '#server/models/formats/canonical.ts';
import { budgetOfEffort, effortOfBudget } from '#server/models/formats/effort.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import { isObject, list, objects, type Json } from '#server/models/formats/json.ts';
import type { ModelFacts } from './models.ts';

const LEAST_BUDGET = 1024;

export interface Thinking {
  maxTokens: number;
  thinking?: Json;
  effort?: string;
}

export function encodeThinking(
  request: CanonicalRequest,
  messages: readonly Json[],
  facts: ModelFacts,
  notes: ConversionNote[],
): Thinking {
  const { reasoning, maxOutputTokens } = request;
  if (maxOutputTokens === undefined)
    approximate(notes, 'max_tokens', `Claude needs a limit; ${facts.defaultMaxTokens} was set`);
  const isOwn = request.format === 'anthropic-messages';
  const most = isOwn || !request.model.includes('claude') ? Number.POSITIVE_INFINITY : facts.mostTokens;
  if (maxOutputTokens !== undefined && maxOutputTokens > most)
    approximate(notes, 'max_tokens', `this model’s answers end at ${most}`);
  const maxTokens = Math.min(most, maxOutputTokens ?? facts.defaultMaxTokens);
  if (reasoning === undefined) return { maxTokens };
  if (reasoning.effort === 'none')
    return { maxTokens, ...(facts.canThink ? { thinking: { type: 'disabled' } } : {}) };
  if (!facts.canThink) {
    drop(notes, 'reasoning', 'this model does not think');
    return { maxTokens };
  }
  if (facts.isAdaptive) return { maxTokens, ...adaptive(request, notes) };
  const wanted = reasoning.budgetTokens ?? budgetOfEffort(reasoning.effort ?? 'medium');
  const budget = Math.max(LEAST_BUDGET, wanted);
  if (lacksThought(messages)) {
    drop(notes, 'reasoning', 'the calls so far were made without signed thoughts');
    return { maxTokens };
  }
  if (maxOutputTokens === undefined)
    return {
      maxTokens: Math.min(most, maxTokens + budget),
      thinking: enabled(Math.min(budget, most - 1), reasoning),
    };
  if (maxTokens <= LEAST_BUDGET) {
    drop(notes, 'reasoning', `an answer of ${maxTokens} tokens leaves no room for thought`);
    return { maxTokens };
  }
  if (budget >= maxTokens) approximate(notes, 'reasoning', 'thought must be shorter than the answer’s limit');
  return { maxTokens, thinking: enabled(Math.min(budget, maxTokens - 1), reasoning) };
}

const enabled = (budget: number, { isHidden }: CanonicalReasoning): Json => ({
  type: 'enabled',
  budget_tokens: budget,
  ...(isHidden === true ? HIDDEN : {}),
});

const HIDDEN = { display: 'omitted' };

function adaptive(request: CanonicalRequest, notes: ConversionNote[]): Omit<Thinking, 'maxTokens'> {
  const { effort, budgetTokens, isAdaptive, summary, isHidden } = request.reasoning ?? {};
  // In Anthropic's own format an effort alone does not enable reasoning.
  const isPlainEffort =
    request.format === 'anthropic-messages' && isAdaptive !== true && budgetTokens === undefined;
  const shown = isHidden === true ? HIDDEN : summary === undefined ? {} : { display: 'summarized' };
  const thinking = isPlainEffort ? {} : { thinking: { type: 'adaptive', ...shown } };
  if (effort !== undefined) {
    if (effort === 'minimal') approximate(notes, 'reasoning', 'the least effort here is low');
    return { ...thinking, effort: effort === 'minimal' ? 'low' : effort };
  }
  if (budgetTokens === undefined) return thinking;
  const byBudget = effortOfBudget(budgetTokens);
  const named = byBudget === 'minimal' || byBudget === 'none' ? 'low' : byBudget;
  approximate(notes, 'reasoning', `${budgetTokens} tokens of thought became the effort ${named}`);
  return { ...thinking, effort: named };
}

/** With a budget, a turn with tool calls must begin with signed reasoning, or the request is refused. */
function lacksThought(messages: readonly Json[]): boolean {
  const last = messages.findLast((message) => message['role'] === 'assistant');
  const blocks = objects(last?.['content']);
  if (!blocks.some((block) => block['type'] === 'tool_use')) return false;
  const answer = messages.at(-1);
  const isOpen = list(answer?.['content']).some(
    (block) => isObject(block) && block['type'] === 'tool_result',
  );
  const first = blocks[0]?.['type'];
  return isOpen && first !== 'thinking' && first !== 'redacted_thinking';
}
