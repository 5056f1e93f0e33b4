// Models for operators: the list of those that are offered or called, and the page of one.
import type { modelPages } from '#contract/admin/models.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { ModelDependencies } from './dependencies.ts';
import { listModels } from './list.ts';
import { readModel } from './page.ts';

export function createModelHandlers(dependencies: ModelDependencies): Handlers<typeof modelPages> {
  return { list: listModels(dependencies), read: readModel(dependencies) };
}
