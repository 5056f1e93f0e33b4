// The paths of files and batches.
import type { RelayRoutes } from '#server/relay/entry/handler.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { anthropicRoutes } from './anthropic-routes.ts';
import { fileRows } from './file-rows.ts';
import { fileRoutes } from './file-routes.ts';
import { openAiRoutes } from './openai-routes.ts';

export function batchRoutes(parts: TaskParts): RelayRoutes {
  const withFiles = { ...parts, fileRows: fileRows(parts.core.store) };
  return { ...fileRoutes(withFiles), ...openAiRoutes(withFiles), ...anthropicRoutes(withFiles) };
}
