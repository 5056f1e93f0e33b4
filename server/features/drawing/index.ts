// Drawing tasks in the console: users read their own, administrators everybody's.
import type { Handlers } from '#server/features/context.ts';
import type { drawing } from '#contract/drawing.ts';
import { listDrawings, type DrawingDependencies } from './list.ts';

export type { DrawingDependencies } from './list.ts';

export function createDrawingHandlers(dependencies: DrawingDependencies): Handlers<typeof drawing> {
  return {
    list: listDrawings(dependencies, 'all'),
    listSelf: listDrawings(dependencies, 'self'),
  };
}
