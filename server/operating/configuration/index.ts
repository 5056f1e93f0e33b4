// Configuration as code: settings, groups, prices, channels and plans as one file.
export { applyComparison, compareFile, type Comparison } from './apply.ts';
export { ConfigurationError } from './document.ts';
export { configurationDrift } from './drift.ts';
export { exportConfiguration } from './export.ts';
export type { ConfigurationParts } from './parts.ts';
export { differenceLine } from './lines.ts';
