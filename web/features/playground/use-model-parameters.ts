/** Which parameters the models of the panes take. */
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import type { ModelParameters } from '#contract/admin/playground.ts';
import { parametersQuery } from './queries.ts';

const known = (results: UseQueryResult<ModelParameters>[]) => results.map(({ data }) => data);

/** By pane; undefined while they are loaded. */
export function useModelParameters(models: readonly string[]): (ModelParameters | undefined)[] {
  return useQueries({ queries: models.map((model) => parametersQuery(model)), combine: known });
}
