/**
 * The query string this page was opened with, unparsed. The router turns number-like values into numbers, which changes a
 * code such as `12e456`.
 */
export const entrySearch = location.search;
