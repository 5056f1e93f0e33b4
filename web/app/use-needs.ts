/** What needs the reader, as the menus count it. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { attentionQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { needCounts, ORGANIZATION_OVERVIEW, OVERVIEW, type NeedCounts } from './needs.ts';
import { useNavigationItems } from './use-navigation.ts';

const NONE: NeedCounts = new Map();

export function useNeedCounts(): NeedCounts {
  const user = useUser();
  const paths = useNavigationItems()
    .map(({ path }) => path)
    .join(' ');
  const scope = useScope();
  const { data } = useQuery({ ...attentionQuery, enabled: user !== undefined });
  const overview = scope === undefined ? OVERVIEW : ORGANIZATION_OVERVIEW;
  return useMemo(
    () => (data === undefined ? NONE : needCounts(data.counts, new Set(paths.split(' ')), overview)),
    [data, paths, overview],
  );
}
