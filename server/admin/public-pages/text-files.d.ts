declare module '*.css' {
  const text: string;
  export default text;
}

/** The scripts of the pages, as the text that is sent to browsers. */
declare module '*/boot.js' {
  const text: string;
  export default text;
}

declare module '*/browser.js' {
  const text: string;
  export default text;
}

declare module '*/calculator.js' {
  const text: string;
  export default text;
}
