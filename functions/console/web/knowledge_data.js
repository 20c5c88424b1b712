// What the screens of the knowledge base share: its folders, the help site's address, and words for a document's state.
import { get } from "./api.js";
import { cell } from "./store.js";

// In order, each before its subfolders: {id, name, parentId, position, documents, published}. Null until they are loaded.
export const folders = cell(null);
export const site = cell(null);

export const loadFolders = async () => (folders.value = (await get("/knowledge/folders")).folders);
export const loadSite = async () => (site.value ??= await get("/site"));

const folder = (id) => (folders.value ?? []).find((each) => each.id === id);

// A folder and those around it, outermost first.
export const pathOf = (id) => {
  const found = folder(id);
  return found ? [...pathOf(found.parentId), found] : [];
};

export const depthOf = (id) => pathOf(id).length;

// A folder with everything inside it, as options of a choice.
export const folderOptions = (none = "No folder") => [
  ["none", none],
  ...(folders.value ?? []).map((each) => [each.id, `${"\u2003".repeat(depthOf(each.id) - 1)}${each.name}`]),
];

// The outermost published folder around a document, if there is one.
export const publishedBy = (document) => pathOf(document.folderId).find((each) => each.published);

export const isPublic = (document) => document.published || Boolean(publishedBy(document));

export const articleAddress = (document) =>
  site.value?.enabled && isPublic(document) ? `${site.value.url}articles/${encodeURIComponent(document.slug)}` : null;

const SOURCES = { crawl: "Crawled page", repository: "Repository", suggestion: "Suggestion", written: "Written here" };

export const sourceOf = ({ source }) => (source.kind === "written" && source.path ? `File ${source.path}` : SOURCES[source.kind]);

// Whether a document's text follows a page or a repository, so that it can't be changed here.
export const isSynced = (document) => ["crawl", "repository"].includes(document.source.kind);
