-- Dishes that are sold at certain hours only, of which every reading of the menu asks whether they run.
CREATE INDEX menu_items_with_hours ON menu_items (outlet_id)
    WHERE archived_at IS NULL
      AND (available_from IS NOT NULL OR available_to IS NOT NULL OR available_days IS NOT NULL OR more_windows <> '[]');
