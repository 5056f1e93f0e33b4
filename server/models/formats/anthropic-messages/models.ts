// What generations of Claude accept. An unknown name counts as a middle generation: it accepts reasoning budgets and nothing
// newer.

export interface ModelFacts {
  canThink: boolean;
  /** Adaptive reasoning, controlled by an effort; refuses a budget. */
  isAdaptive: boolean;
  /** Refuses temperature, top_p and top_k. */
  refusesSampling: boolean;
  /** Refuses temperature and top_p together. */
  refusesBothSamplings: boolean;
  /** Accepts a schema for the answer, and strict tools. */
  hasSchemas: boolean;
  defaultMaxTokens: number;
  /** The highest accepted `max_tokens`. */
  mostTokens: number;
}

const NEW_STYLE = /claude-(?:opus|sonnet|haiku|fable|mythos)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/;
const OLD_STYLE = /claude-(\d+)(?:[-.](\d{1,2}))?-(?:opus|sonnet|haiku)/;

function versionOf(model: string): number {
  const found = NEW_STYLE.exec(model) ?? OLD_STYLE.exec(model);
  if (found === null) return /claude-(2|instant)/.test(model) ? 2 : 4.1;
  return Number(found[1]) + Number(found[2] ?? 0) / 10;
}

export function factsOf(model: string): ModelFacts {
  const version = versionOf(model);
  return {
    canThink: version >= 3.7,
    isAdaptive: version >= 4.6,
    refusesSampling: version >= 4.7,
    refusesBothSamplings: version >= 4.1,
    hasSchemas: version >= 4.5,
    defaultMaxTokens: version < 3.5 ? 4096 : version < 3.7 ? 8192 : 32_000,
    mostTokens: version < 3.5 ? 4096 : version < 3.7 ? 8192 : mostOf(model, version),
  };
}

/** The larger models of the fourth generation have a lower limit. */
function mostOf(model: string, version: number): number {
  if (version >= 4.6) return 128_000;
  return model.includes('opus') && version < 4.5 ? 32_000 : 64_000;
}
