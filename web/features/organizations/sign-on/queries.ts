/** The sign-on of the organization: one answer for the whole page. */
import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';

export const signOnQuery = queryOptions({
  queryKey: [...ORGANIZATIONS_KEY, 'sign-on'],
  queryFn: ({ signal }) => api.organizationSignOn.read({ signal }),
});
