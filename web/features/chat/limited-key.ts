/** An API key made for one chat application: a dollar and a month, so that the other site can lose no more. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { useStatus } from '#web/api/status.ts';

const LIMIT_DOLLARS = 1;
const LIFE_SECONDS = 30 * 86_400;
const NAME_LENGTH = 30;

export function useLimitedKey(host: string, onMade: (tokenId: number) => void) {
  const status = useStatus();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.tokens.create({
        body: {
          name: host.slice(0, NAME_LENGTH),
          remain_quota: LIMIT_DOLLARS * (status?.quota_per_unit ?? 0),
          expired_time: unixSeconds() + LIFE_SECONDS,
        },
      }),
    onSuccess: async ([made]) => {
      await client.invalidateQueries({ queryKey: ['tokens'] });
      if (made) onMade(made.id);
    },
  });
}
