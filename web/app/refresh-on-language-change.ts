/** The server answers some texts in the language of the request: notice, footer, about. What is shown is read again. */
import i18next from 'i18next';
import { queryClient } from '#web/api.ts';
import { aboutQuery, noticeQuery } from '#web/api/queries.ts';
import { statusQuery } from '#web/api/status.ts';

export function refreshOnLanguageChange(): void {
  i18next.on('languageChanged', () => {
    for (const { queryKey } of [statusQuery, noticeQuery, aboutQuery])
      void queryClient.invalidateQueries({ queryKey });
  });
}
