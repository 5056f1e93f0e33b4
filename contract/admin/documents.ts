/** The documents of docs/ as the console and the pages of the server list them; made at build time. */
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

/** A page as HTML, in one language. */
export interface DocumentArticle {
  /** Its first words, for search engines. */
  description: string;
  html: string;
}

/** Files of the build: the list, and each page by `<slug>.<language>.json`. Only the server reads them. */
export const DOCUMENT_FOLDER = '/documents/';
export const DOCUMENT_LIST = 'list.json';
/** The address that the documents write for the gateway. */
export const SAMPLE_ADDRESS = /(http|ws):\/\/localhost:3000/g;
