/** What the console knows of the documents before it loads one; made at build time from docs/. */
import type { Text } from '#contract/language.ts';

export interface Heading {
  level: number;
  text: string;
  /** The anchor. */
  id: string;
}

export interface DocumentIndex {
  title: string;
  headings: Heading[];
  /** Rows of tables that begin with an error code, in troubleshooting. */
  codes?: { id: string; text: string }[];
}

export interface DocumentPage {
  slug: string;
  /** English always exists. */
  en: DocumentIndex;
  zh?: DocumentIndex;
}

/** Who reads a section: customers call models, operators run the site. */
export type Audience = 'customers' | 'operators';

export interface DocumentSection {
  name: Text;
  audience: Audience;
  pages: DocumentPage[];
}
