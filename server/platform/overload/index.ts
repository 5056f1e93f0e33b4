// Refuses some calls under overload, so that the others are served in time.
export { Gate, type GateRules } from './gate.ts';
export { usualRules, watchOverload, type OverloadWatch } from './watch.ts';
