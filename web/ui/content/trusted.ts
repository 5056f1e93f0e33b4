/**
 * Trusted Types: the policy of the pages refuses plain strings at HTML sinks. The exceptions are named here:
 * text without markup (the kit's style sheets), markup that the sanitiser reads, and the two outside scripts.
 */

interface Policy {
  createHTML(text: string): unknown;
  createScriptURL(url: string): unknown;
}

interface PolicyRules {
  createHTML?: (text: string) => string | null;
  createScriptURL?: (url: string) => string | null;
}

interface PolicyFactory {
  createPolicy(name: string, rules: PolicyRules): Policy;
}

function factory(): PolicyFactory | undefined {
  return (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
}

/** Must run before the first render. Without `<` a string cannot become an element, whatever sink it reaches. */
export function installDefaultPolicy(): void {
  factory()?.createPolicy('default', { createHTML: (text) => (text.includes('<') ? null : text) });
}

let inertPolicy: Policy | undefined;

/**
 * The markup as elements of a document without a window: nothing loads or runs, and the page's policy reports nothing.
 * For the sanitiser only: elements that were not sanitised must not be moved into the page.
 */
export function parseInert(html: string): HTMLElement {
  inertPolicy ??= factory()?.createPolicy('tollgate-inert', { createHTML: (text) => text });
  const body = document.createElement('template').content.ownerDocument.createElement('div');
  body.innerHTML = (inertPolicy?.createHTML(html) ?? html) as string;
  return body;
}

const OUTSIDE_SCRIPTS = ['https://challenges.cloudflare.com/', 'https://telegram.org/'];
let scriptPolicy: Policy | undefined;

interface ScriptPlace {
  /** Widgets draw themselves beside their script. */
  parent?: HTMLElement;
  attributes?: Readonly<Record<string, string>>;
}

/** Loads one of the known outside scripts: the human check, the messaging bot's login. */
export function loadScript(
  url: string,
  { parent = document.head, attributes = {} }: ScriptPlace = {},
): Promise<void> {
  scriptPolicy ??= factory()?.createPolicy('tollgate-script', {
    createScriptURL: (wanted) => (OUTSIDE_SCRIPTS.some((known) => wanted.startsWith(known)) ? wanted : null),
  });
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.async = true;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error(`cannot load ${url}`));
    });
    script.src = (scriptPolicy?.createScriptURL(url) ?? url) as string;
    for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value);
    parent.append(script);
  });
}
