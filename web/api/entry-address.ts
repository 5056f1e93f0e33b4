/**
 * The query this page was opened with, letter by letter. The router reads whatever looks like a number as one, which turns a
 * code such as `12e456` into something else.
 */
export const entrySearch = location.search;
