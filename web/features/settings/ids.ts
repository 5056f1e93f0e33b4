/** Where an option stands in the page: its row to scroll to, its control to focus. */
export const rowId = (key: string) => `option-${key}`;
export const controlId = (key: string) => `control-${key}`;
export const sectionElementId = (section: string) => `section-${section}`;
