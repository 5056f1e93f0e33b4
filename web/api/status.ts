/** The status object: fetched once per visit and stored locally, so that the next start does not wait for it. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { StatusView } from '#contract/admin/site.ts';
import { api } from '#web/api.ts';
import { setDisplay } from '#web/ui/format/display.ts';

const KEY = 'status';

/** A status stored by an older version may lack fields; the fetch replaces it soon, so only the basics are checked. */
function isStatus(value: unknown): value is StatusView {
  if (typeof value !== 'object' || value === null) return false;
  const { system_name, logo, footer_html, quota_per_unit, chats, top_up_prices } =
    value as Partial<StatusView>;
  const texts = [system_name, logo, footer_html].every((field) => typeof field === 'string');
  return texts && Number(quota_per_unit) > 0 && Array.isArray(chats) && Array.isArray(top_up_prices);
}

function readStored(): StatusView | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function applyDisplay(status: StatusView): void {
  setDisplay({ quotaPerUnit: status.quota_per_unit, displayInCurrency: status.display_in_currency });
}

/** The specification requires these keys besides the whole object. */
function store(status: StatusView): void {
  localStorage.setItem(KEY, JSON.stringify(status));
  localStorage.setItem('chats', JSON.stringify(status.chats));
  localStorage.setItem('chat_link', status.chat_link);
  localStorage.setItem('chat_link2', status.chat_link2);
  localStorage.setItem('footer_html', status.footer_html);
  applyDisplay(status);
}

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await api.site.status({ signal });
    store(status);
    return status;
  },
  initialData: () => {
    const stored = readStored();
    if (stored) applyDisplay(stored);
    return stored;
  },
  // Show the stored status at once and refetch it.
  initialDataUpdatedAt: 0,
  staleTime: 5 * 60_000,
});

export function useStatus(): StatusView | undefined {
  return useQuery(statusQuery).data;
}
