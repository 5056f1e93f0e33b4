/** The title of the browser's tab: the page, then the name of the site. A change of the page is announced. */
import { useDocumentTitle } from '@mantine/hooks';
import { createContext, useContext, useEffect } from 'react';
import { announce } from '#web/ui/feedback/announce.ts';

/** Provided by the application when the status has arrived. */
export const SiteName = createContext('');

export function tabTitle(title: string, siteName: string): string {
  return siteName === '' || siteName === title ? title : `${title} · ${siteName}`;
}

let shown = '';

export function usePageTitle(title: string): void {
  useDocumentTitle(tabTitle(title, useContext(SiteName)));
  useEffect(() => {
    if (title === shown) return;
    // The browser itself reads the title of the first page.
    if (shown !== '') announce(title);
    shown = title;
  }, [title]);
}
