/** Opens the page of the payment provider, in a new tab where the browser allows it. */

export interface ProviderPage {
  url: string;
  fields: Record<string, string>;
}

/** Called in the click itself: later a browser would block the tab. Safari loses the form of a tab opened so. */
export function openTab(): Window | null {
  if (/^((?!chrome|android).)*safari/i.test(navigator.userAgent)) return null;
  const tab = window.open('about:blank', '_blank');
  // The provider's page must not be able to lead this one elsewhere.
  if (tab) tab.opener = null;
  return tab;
}

export function showProvider(tab: Window | null, { url, fields }: ProviderPage): void {
  if (Object.keys(fields).length === 0) {
    (tab ?? window).location.assign(url);
    return;
  }
  const target = tab?.document ?? document;
  const form = target.createElement('form');
  form.method = 'post';
  form.action = url;
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = target.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  target.body.append(form);
  form.submit();
}
