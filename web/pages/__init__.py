"""The pages of a table's dashboard and their forms: a module for each page. The server renders the pages from what the
requesting phone may see. Every form also works without scripts."""
