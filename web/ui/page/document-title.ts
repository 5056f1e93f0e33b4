/** The title of the browser's tab: the page, then the name of the site. */
import { useDocumentTitle } from '@mantine/hooks';
import { createContext, useContext } from 'react';

/** Provided by the application when the status has arrived. */
export const SiteName = createContext('');

export function tabTitle(title: string, siteName: string): string {
  return siteName === '' || siteName === title ? title : `${title} · ${siteName}`;
}

export function usePageTitle(title: string): void {
  useDocumentTitle(tabTitle(title, useContext(SiteName)));
}
