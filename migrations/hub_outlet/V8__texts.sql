-- As the branch's V14, for what head office keeps beside its tables.

UPDATE OR IGNORE hub_scheduled SET editor = tiffin_clean(editor)
  WHERE tiffin_is_unclean(editor);
UPDATE OR IGNORE hub_conflicts SET master_by = tiffin_clean(master_by), branch_by = tiffin_clean(branch_by), settled_by =
  tiffin_clean(settled_by)
  WHERE tiffin_is_unclean(master_by) OR tiffin_is_unclean(branch_by) OR tiffin_is_unclean(settled_by);
UPDATE OR IGNORE hub_publications SET made_by_name = tiffin_clean(made_by_name), cancelled_by_name = tiffin_clean(cancelled_by_name)
  WHERE tiffin_is_unclean(made_by_name) OR tiffin_is_unclean(cancelled_by_name);
UPDATE OR IGNORE hub_publication_targets SET refusal = tiffin_clean(refusal)
  WHERE tiffin_is_unclean(refusal);
UPDATE OR IGNORE hub_takeovers SET by_name = tiffin_clean(by_name)
  WHERE tiffin_is_unclean(by_name);
