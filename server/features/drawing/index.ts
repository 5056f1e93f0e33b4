// Drawing tasks in the console: users read their own, administrators everybody's.
import type { RequestContext } from '#server/features/context.ts';
import type { drawing } from '#contract/drawing.ts';
import type { Handlers } from '#contract/endpoint.ts';
import { listDrawings, type DrawingDependencies } from './list.ts';

export type { DrawingDependencies } from './list.ts';

export function createDrawingHandlers(
  dependencies: DrawingDependencies,
): Handlers<typeof drawing, RequestContext> {
  return {
    list: listDrawings(dependencies, 'all'),
    listSelf: listDrawings(dependencies, 'self'),
  };
}
