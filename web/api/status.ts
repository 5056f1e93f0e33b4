/** The status object: asked once per visit, kept locally so that the next start needs no waiting. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { StatusView } from '#contract/site.ts';
import { api } from '#web/api.ts';
import { setDisplay } from '#web/ui/format/display.ts';

const KEY = 'status';

/** A status kept by an older version may lack fields; it is replaced within the second, so the basics are enough. */
function isStatus(value: unknown): value is StatusView {
  if (typeof value !== 'object' || value === null) return false;
  const { system_name, logo, footer_html, quota_per_unit, chats } = value as Partial<StatusView>;
  const texts = [system_name, logo, footer_html].every((field) => typeof field === 'string');
  return texts && Number(quota_per_unit) > 0 && Array.isArray(chats);
}

function readStored(): StatusView | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function feedDisplay(status: StatusView): void {
  setDisplay({ quotaPerUnit: status.quota_per_unit, displayInCurrency: status.display_in_currency });
}

/** The keys the specification names stand beside the whole object. */
function store(status: StatusView): void {
  localStorage.setItem(KEY, JSON.stringify(status));
  localStorage.setItem('chats', JSON.stringify(status.chats));
  localStorage.setItem('chat_link', status.chat_link);
  localStorage.setItem('chat_link2', status.chat_link2);
  localStorage.setItem('footer_html', status.footer_html);
  feedDisplay(status);
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
    if (stored) feedDisplay(stored);
    return stored;
  },
  // A stored status is shown at once and asked for again.
  initialDataUpdatedAt: 0,
  staleTime: 5 * 60_000,
});

export function useStatus(): StatusView | undefined {
  return useQuery(statusQuery).data;
}
