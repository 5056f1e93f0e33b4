// Which behaviour a request gets. Four sources, later ones win field by field: rules (in process or over /__mock/rules),
// the API key, the model name, a directive in the last user message. The last three pass a gateway that strips unknown
// headers.
import type { Behaviour } from './behaviour.ts';
import { PRESETS } from './presets.ts';

export interface BehaviourRule {
  /** Each given field must match; a string must be contained in the request's value. */
  when?: { key?: string; model?: string; path?: string };
  /** How many requests the rule applies to; absent = every one. */
  times?: number;
  behaviour: Behaviour | string | ((facts: RequestFacts) => Behaviour);
}

interface ActiveRule extends BehaviourRule {
  id: number;
  left: number;
}

export interface RequestFacts {
  key: string;
  model: string;
  path: string;
  lastUserText: string;
  offersTools: boolean;
}

const plain: Behaviour = Object.freeze({});

/** `gpt-5.4@stall-mid` → that preset; `sk-any.mock-401` → that preset; `sk-any.mock-{base64url JSON}` → that behaviour. */
const KEY_MARKER = '.mock-';

export class Behaviours {
  #rules: ActiveRule[] = [];
  #nextRuleId = 1;

  add(rule: BehaviourRule): number {
    const id = this.#nextRuleId++;
    this.#rules.push({ ...rule, id, left: rule.times ?? Number.POSITIVE_INFINITY });
    return id;
  }

  remove(id: number): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
    return this.#rules.length < before;
  }

  clear(): void {
    this.#rules = [];
  }

  choose(facts: RequestFacts): Behaviour {
    const found: Behaviour[] = [];
    for (const rule of this.#rules) {
      if (rule.left <= 0 || !matches(rule, facts)) continue;
      rule.left -= 1;
      const { behaviour } = rule;
      found.push(typeof behaviour === 'function' ? behaviour(facts) : resolve(behaviour));
    }
    const keyAt = facts.key.indexOf(KEY_MARKER);
    if (keyAt >= 0) found.push(resolveText(facts.key.slice(keyAt + KEY_MARKER.length)));
    const modelAt = facts.model.indexOf('@');
    if (modelAt >= 0) found.push(resolveText(facts.model.slice(modelAt + 1)));
    const directive = readDirective(facts.lastUserText);
    if (directive) found.push(directive);
    return found.length === 0 ? plain : Object.assign({}, ...found);
  }
}

/** The API key that selects the behaviour. */
export function behaviourKey(prefix: string, behaviour: Behaviour | string): string {
  if (typeof behaviour === 'string') return `${prefix}${KEY_MARKER}${behaviour}`;
  return `${prefix}${KEY_MARKER}${Buffer.from(JSON.stringify(behaviour)).toString('base64url')}`;
}

/** The user message that selects the behaviour: `{"mock":{…}}`, optionally followed by text. */
export function behaviourMessage(behaviour: Behaviour | string, text = ''): string {
  return `${JSON.stringify({ mock: behaviour })}${text === '' ? '' : `\n${text}`}`;
}

function matches(rule: BehaviourRule, facts: RequestFacts): boolean {
  const { key, model, path } = rule.when ?? {};
  if (key !== undefined && !facts.key.includes(key)) return false;
  if (model !== undefined && !facts.model.includes(model)) return false;
  return path === undefined || facts.path.includes(path);
}

function resolve(behaviour: Behaviour | string): Behaviour {
  return typeof behaviour === 'string' ? named(behaviour) : behaviour;
}

function named(name: string): Behaviour {
  const preset = PRESETS[name];
  if (!preset) throw new Error(`The mock upstream has no preset "${name}"`);
  return preset;
}

function resolveText(text: string): Behaviour {
  const preset = PRESETS[text];
  if (preset) return preset;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Behaviour;
}

function readDirective(text: string): Behaviour | undefined {
  if (!text.startsWith('{"mock":')) return undefined;
  const lineEnd = text.indexOf('\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  return resolve((JSON.parse(line) as { mock: Behaviour | string }).mock);
}
