// Drawings and music in the console: users read their own, administrators everybody's.
import type { Handlers } from '#server/admin/context.ts';
import type { drawing } from '#contract/relay/drawing.ts';
import type { tasks } from '#contract/relay/tasks.ts';
import { listDrawings, type DrawingDependencies } from './drawings.ts';
import { taskPage } from './task-page.ts';
import { listTasks, type TaskDependencies } from './tasks.ts';

export function createDrawingHandlers(dependencies: DrawingDependencies): Handlers<typeof drawing> {
  return {
    list: listDrawings(dependencies, 'all'),
    listSelf: listDrawings(dependencies, 'self'),
  };
}

export function createTaskHandlers(dependencies: TaskDependencies): Handlers<typeof tasks> {
  return {
    list: listTasks(dependencies, 'all'),
    listSelf: listTasks(dependencies, 'self'),
    page: taskPage(dependencies),
  };
}
